// SPDX-License-Identifier: Apache-2.0
// Journal files as systemd itself writes them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "operator/node_agent/record_source.h"

namespace app {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

constexpr char kJournalRemote[] = "/lib/systemd/systemd-journal-remote";
constexpr char kOldBoot[] = "00000000000000000000000000000001";
constexpr char kBoot[] = "0123456789abcdef0123456789abcdef";
const engine::Time kStart = *engine::ParseRfc3339("2026-12-01T04:00:00Z");

struct Entry {
  const char* boot = kBoot;
  std::chrono::seconds uptime{0};
  const char* transport = "kernel";
  const char* facility = "0";
  std::string message;
};

class JournalSourceTest : public testing::Test {
 protected:
  void SetUp() override {
    if (access(kJournalRemote, X_OK) != 0) GTEST_SKIP() << kJournalRemote << " is not installed";
    std::string name = testing::TempDir() + "journal-XXXXXX";
    directory_ = mkdtemp(name.data());
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  void Write(const std::vector<Entry>& entries) const {
    const std::string text = directory_ / "export";
    std::ofstream out(text);
    int index = 0;
    for (const Entry& entry : entries) {
      const auto time = kStart.time_since_epoch() + std::chrono::seconds(index++);
      out << fmt::format(
          "__REALTIME_TIMESTAMP={}\n__MONOTONIC_TIMESTAMP={}\n_BOOT_ID={}\n_TRANSPORT={}\n"
          "_SOURCE_MONOTONIC_TIMESTAMP={}\nSYSLOG_FACILITY={}\nPRIORITY=3\nMESSAGE={}\n\n",
          std::chrono::duration_cast<std::chrono::microseconds>(time).count(),
          std::chrono::microseconds(entry.uptime).count(), entry.boot, entry.transport,
          std::chrono::microseconds(entry.uptime).count(), entry.facility, entry.message);
    }
    out.close();
    const std::string command = fmt::format("{} -o {} {} >/dev/null 2>&1", kJournalRemote,
                                            (directory_ / "system.journal").string(), text);
    ASSERT_EQ(std::system(command.c_str()), 0);
    std::filesystem::remove(text);
  }

  // What comes until nothing more does; an overrun as the time before which records are gone.
  std::vector<std::string> Read() {
    const auto source = OpenJournal(directory_);
    std::vector<std::string> read;
    KernelRecord record;
    for (;;) {
      switch (source->Next(&record, 1ms)) {
        case RecordSource::Event::kRecord:
          EXPECT_EQ(record.boot_id, DashedBootId(kBoot));
          EXPECT_EQ(record.transport, "kernel");
          read.push_back(fmt::format("{} {}", record.facility, record.message));
          break;
        case RecordSource::Event::kOverrun:
          read.push_back("overrun " + engine::FormatTime(record.time));
          break;
        case RecordSource::Event::kIdle:
          return read;
      }
    }
  }

  std::filesystem::path directory_;
};

TEST_F(JournalSourceTest, TheKernelsRecordsOfTheNewestBoot) {
  Write({{.boot = kOldBoot, .message = "old"},
         {.message = "Linux version 6.1"},
         {.uptime = 5s, .transport = "syslog", .message = "NVRM: Xid (PCI:0000:3b:00): 79"},
         {.uptime = 6s, .facility = "1", .message = "written to /dev/kmsg"},
         {.uptime = 7s, .message = "NVRM: Xid (PCI:0000:3b:00): 79"}});
  EXPECT_THAT(Read(), ElementsAre("0 Linux version 6.1", "1 written to /dev/kmsg",
                                  "0 NVRM: Xid (PCI:0000:3b:00): 79"));
}

TEST_F(JournalSourceTest, ABootWhoseBeginningWasVacuumedAway) {
  Write({{.boot = kOldBoot, .message = "old"}, {.uptime = 90min, .message = "late"}});
  EXPECT_THAT(Read(), ElementsAre("overrun 2026-12-01T04:00:01Z", "0 late"));
}

TEST(OpenJournalTest, NamesWhatItCannotRead) {
  EXPECT_THROW(OpenJournal("/nonexistent/journal"), std::runtime_error);
}

}  // namespace
}  // namespace app
