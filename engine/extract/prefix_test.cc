// SPDX-License-Identifier: Apache-2.0
#include "engine/extract/prefix.h"

#include <gtest/gtest.h>

namespace engine {
namespace {

const Time kAbout = *ParseRfc3339("2026-12-01T00:00:00Z");

struct Case {
  Source source;
  const char* line;
  const char* time;  // "" : none
  const char* node;
  const char* message;
};

TEST(PrefixTest, FindsTheMessageBehindWhatLoggersPrint) {
  const Case cases[] = {
      {Source::kKernel, "Dec  2 11:38:27 node-a kernel: [199.2349] NVRM: Xid",
       "2026-12-02T11:38:27Z", "node-a", "NVRM: Xid"},
      {Source::kKernel, "2025-10-03T18:00:02.5+02:00 node-a kernel: NVRM: Xid",
       "2025-10-03T16:00:02.500Z", "node-a", "NVRM: Xid"},
      {Source::kKernel, "[Tue Dec  1 04:00:00 2026] NVRM: Xid", "2026-12-01T04:00:00Z", "",
       "NVRM: Xid"},
      {Source::kKernel, "<4>1 2025-10-03T18:00:02Z host kernel - - - NVRM: Xid",
       "2025-10-03T18:00:02Z", "host", "NVRM: Xid"},
      {Source::kKernel, "kern  :warn  : [  199.234935] NVRM: Xid", "boot 199.234935", "",
       "NVRM: Xid"},
      {Source::kKernel, "kern  :warn  : 2026-12-01T04:00:00,500000+00:00 NVRM: Xid",
       "2026-12-01T04:00:00.500Z", "", "NVRM: Xid"},
      {Source::kKernel, "[12345.678901][ T4711] NVRM: Xid", "boot 12345.678901", "", "NVRM: Xid"},
      {Source::kKernel, "[Tue Dec  1 04:00:00 2026] Call Trace:", "2026-12-01T04:00:00Z", "",
       "Call Trace:"},
      {Source::kKernel, "2026-12-01T04:00:00,500000+00:00 Call Trace:", "2026-12-01T04:00:00.500Z",
       "", "Call Trace:"},
      {Source::kKernel, "NVRM: Xid", "", "", "NVRM: Xid"},
      {Source::kSyslog, "Dec  2 11:38:27 node-a nvidia-fabricmanager[812]: failed",
       "2026-12-02T11:38:27Z", "node-a", "failed"},
      {Source::kKubelet, "E1201 04:00:00.123456    1234 kubelet.go:12] Failed to start",
       "2026-12-01T04:00:00.123456Z", "", "Failed to start"},
      {Source::kAppLog, "2026-12-01 10:00:00,123 INFO train: step", "2026-12-01T10:00:00.123Z", "",
       "INFO train: step"},
      {Source::kAppLog, "[2026-12-01 10:00:00] step", "2026-12-01T10:00:00Z", "", "step"},
      {Source::kAppLog, "2026-12-01T10:00:00.123456789Z RuntimeError: x",
       "2026-12-01T10:00:00.123456789Z", "", "RuntimeError: x"},
      {Source::kAppLog, "(RayTrainWorker pid=4711, ip=192.0.2.1) RuntimeError: x", "", "",
       "RuntimeError: x"},
      {Source::kAppLog, "[E1108 23:40:22.781 ProcessGroupNCCL.cpp:616] [Rank 0] Watchdog",
       "2026-11-08T23:40:22.781Z", "",
       "[E1108 23:40:22.781 ProcessGroupNCCL.cpp:616] [Rank 0] Watchdog"},
      {Source::kAppLog, "[rank0]:[E1108 23:40:22.5 x.cpp:616] y", "2026-11-08T23:40:22.500Z", "",
       "[E1108 23:40:22.5 x.cpp:616] y"},
      {Source::kAppLog, "E1108 of the manual is about something else", "", "",
       "E1108 of the manual is about something else"},
      {Source::kAppLog, "2026-12-01T10:00:00.123456789Z stderr F RuntimeError: x",
       "2026-12-01T10:00:00.123456789Z", "", "RuntimeError: x"},
      {Source::kAppLog, "stderr F RuntimeError: x", "", "", "stderr F RuntimeError: x"},
      {Source::kAppLog, "[1] first item", "", "", "[1] first item"},
  };
  for (const Case& c : cases) {
    const Prefix prefix = ReadPrefix(c.line, c.source, kAbout);
    std::string time;
    if (prefix.clock == Clock::kAbsolute) time = FormatTime(prefix.time);
    if (prefix.clock == Clock::kBoot) {
      time = "boot " +
             std::to_string(static_cast<double>(prefix.time.time_since_epoch().count()) / 1e9);
    }
    EXPECT_EQ(time, c.time) << c.line;
    EXPECT_TRUE(time.empty() || MayHaveTime(c.line, c.source)) << c.line;
    EXPECT_EQ(prefix.node, c.node) << c.line;
    EXPECT_EQ(std::string(c.line).substr(prefix.message), c.message) << c.line;
  }
}

TEST(PrefixTest, YearsRollOver) {
  const auto year = [](const char* line, const char* about) {
    return FormatTime(ReadPrefix(line, Source::kSyslog, ParseRfc3339(about)).time).substr(0, 4);
  };
  EXPECT_EQ(year("Dec 31 23:59:59 h kernel: x", "2027-01-01T00:10:00Z"), "2026");
  EXPECT_EQ(year("Jan  1 00:00:01 h kernel: x", "2026-12-31T23:50:00Z"), "2027");
  EXPECT_EQ(ReadPrefix("Dec 31 23:59:59 h kernel: x", Source::kSyslog, std::nullopt).clock,
            Clock::kYearless);
}

TEST(PrefixTest, Ranks) {
  const auto rank = [](const char* line) { return ReadPrefix(line, Source::kAppLog, {}).rank; };
  EXPECT_EQ(rank("[rank3]: RuntimeError"), 3);
  EXPECT_EQ(rank("[rank0]:[E ProcessGroupNCCL.cpp:616] x"), 0);
  EXPECT_EQ(rank("[default2]:[rank10]: x"), 10);
  EXPECT_EQ(rank("[5]: x"), 5);
  EXPECT_EQ(rank("[1,7]<stderr>:x"), 7);
  EXPECT_EQ(rank("[1/8] building"), std::nullopt);
  EXPECT_EQ(rank("rank3 started"), std::nullopt);
}

TEST(PrefixTest, LaunchersLabelLines) {
  const auto read = [](const char* line) { return ReadPrefix(line, Source::kAppLog, kAbout); };
  EXPECT_EQ(read("worker-3: KeyError: 'a'").node, "worker-3");
  EXPECT_EQ(read("worker-3: KeyError: 'a'").message, 10U);
  EXPECT_EQ(read("gpu07.cluster: [rank5]: x").rank, 5);
  EXPECT_EQ(read("12: [2026-12-01 04:00:00] x").rank, 12);
  EXPECT_EQ(read("12: [2026-12-01 04:00:00] x").time, *ParseRfc3339("2026-12-01T04:00:00Z"));
  // What is asked first refuses none of these.
  for (const char* line : {"worker-3: 2026-12-01 04:00:00 x", "gpu07.cluster: [rank5]: x",
                           "pod-7: E1201 04:00:00.123456 x", "12: [2026-12-01 04:00:00] x"}) {
    EXPECT_TRUE(MayHaveTime(line, Source::kAppLog)) << line;
  }
  EXPECT_FALSE(MayHaveTime("worker-3: step 5", Source::kAppLog));
  EXPECT_FALSE(MayHaveTime("worker-3: ", Source::kAppLog));
  for (const char* own : {"error: x", "KeyError: 1", "404: not found", "a1: x", "x-y: z"}) {
    EXPECT_TRUE(read(own).node.empty()) << own;
    EXPECT_FALSE(read(own).rank) << own;
  }
}

TEST(PrefixTest, NcclNamesItsHost) {
  EXPECT_EQ(NcclHost("node-a:4711:4800 [0] NCCL WARN x"), "node-a");
  EXPECT_EQ(NcclHost("file.py:12: error"), "");
}

}  // namespace
}  // namespace engine
