// SPDX-License-Identifier: Apache-2.0
// The kernel's own log of the machine that runs the tests.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <optional>

#include "operator/node_agent/record_source.h"

namespace app {
namespace {

using namespace std::chrono_literals;

constexpr char kDevice[] = "/dev/kmsg";
constexpr char kBootId[] = "/proc/sys/kernel/random/boot_id";

class KmsgSourceTest : public testing::Test {
 protected:
  void SetUp() override {
    if (access(kDevice, F_OK) != 0) GTEST_SKIP() << "a container without " << kDevice;
    if (geteuid() != 0) GTEST_SKIP() << "only root may read " << kDevice;
  }
};

TEST_F(KmsgSourceTest, ReadsTheBootFromItsOldestRecord) {
  const auto source = OpenKmsg(kDevice, kBootId);
  EXPECT_EQ(source->boot_id().size(), 36U);
  KernelRecord record;
  RecordSource::Event event = source->Next(&record, 100ms);
  const bool overrun = event == RecordSource::Event::kOverrun;
  const engine::Time told = record.time;
  if (overrun) event = source->Next(&record, 100ms);
  ASSERT_EQ(event, RecordSource::Event::kRecord);
  EXPECT_EQ(overrun, record.seq > 0) << "a buffer that was overwritten has lost its first records";
  if (overrun) {
    EXPECT_EQ(record.time, told);
  }
  EXPECT_EQ(record.boot_id, source->boot_id());
  EXPECT_EQ(record.transport, "kmsg");
  EXPECT_LT(record.time, std::chrono::system_clock::now());
  std::uint64_t newest = record.seq;
  while ((event = source->Next(&record, 10ms)) == RecordSource::Event::kRecord) {
    EXPECT_GT(record.seq, newest);
    newest = record.seq;
  }
  EXPECT_NE(event, RecordSource::Event::kOverrun);
}

TEST_F(KmsgSourceTest, UserSpaceCannotSpeakForTheKernel) {
  const auto source = OpenKmsg(kDevice, kBootId);
  const auto before = std::chrono::system_clock::now();
  const std::string cheat =
      fmt::format("NVRM: Xid (PCI:0000:ff:1f): 79, attribution-test-{}", getpid());
  const int device = open(kDevice, O_WRONLY | O_CLOEXEC);
  ASSERT_GE(device, 0);
  const std::string text = "<3>" + cheat + "\nNVRM: second line\n";  // facility 0, as it would like
  ASSERT_EQ(write(device, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  close(device);

  std::optional<KernelRecord> found;
  KernelRecord record;
  for (auto event = source->Next(&record, 2s); event != RecordSource::Event::kIdle;
       event = source->Next(&record, 2s)) {
    if (event == RecordSource::Event::kRecord && record.message.starts_with(cheat)) {
      found = record;
      break;
    }
  }
  ASSERT_TRUE(found) << "the kernel takes only so many lines from user space at a time";
  EXPECT_EQ(found->facility, 1) << "the operator believes facility 0 only";
  EXPECT_EQ(found->priority, 3);
  EXPECT_EQ(found->message, cheat + "\nNVRM: second line") << "one record";
  EXPECT_LT(std::chrono::abs(found->time - before), 1min);
}

TEST(OpenKmsgTest, NamesWhatItCannotRead) {
  EXPECT_THROW(OpenKmsg(kDevice, "/nonexistent/boot_id"), std::runtime_error);
  EXPECT_THROW(OpenKmsg("/nonexistent/kmsg", kBootId), std::runtime_error);
}

}  // namespace
}  // namespace app
