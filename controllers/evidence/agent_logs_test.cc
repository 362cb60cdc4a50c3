// SPDX-License-Identifier: Apache-2.0
#include "controllers/evidence/agent_logs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "controllers/evidence/scripted_api.h"
#include "controllers/workload/pod_projection.h"

namespace controllers {
namespace {

using namespace std::chrono_literals;
using engine::Coverage;
using kube::Json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const engine::Time kNow = *engine::ParseRfc3339("2026-12-01T05:00:00Z");
const kube::Resource kDaemonSets{"apps", "v1", "daemonsets", "DaemonSet", true};
constexpr char kAgentLog[] = "agents/agent-n1/agent";

constexpr LogTiming kFast{.idle = 20ms,
                          .sealed_quiet = 30ms,
                          .ended_quiet = 500ms,
                          .first_retry = 1ms,
                          .last_retry = 5ms,
                          .server_away = 60ms,
                          .node_away = 30ms,
                          .end_wait = 500ms};

// As the agent prints it and pods/log delivers it.
std::string Printed(engine::Time time, const Json& line) {
  return engine::FormatTime(time) + ' ' + line.dump();
}
std::string Record(std::uint64_t seq, const std::string& message, const std::string& boot = "b1",
                   engine::Time printed = kNow) {
  return Printed(printed, {{"v", 1},
                           {"bootID", boot},
                           {"seq", seq},
                           {"time", engine::FormatTime(printed)},
                           {"priority", 3},
                           {"facility", 0},
                           {"transport", "kernel"},
                           {"message", message}});
}
std::string Notice(const std::string& kind, engine::Time printed = kNow) {
  return Printed(printed, {{"v", 1}, {"bootID", "b1"}, {"kind", kind}, {"count", 3}});
}

class Sink final : public AgentSink {
 public:
  void Record(const AgentLine& record) override {
    const std::lock_guard lock(mutex);
    messages.push_back(record.message);
  }
  void End(Coverage end, const std::vector<LogGap>& end_gaps) override {
    const std::lock_guard lock(mutex);
    EXPECT_FALSE(coverage.has_value()) << "ended twice";
    coverage = end;
    gaps = end_gaps;
  }
  std::vector<std::string> Messages() {
    const std::lock_guard lock(mutex);
    return messages;
  }
  bool Ended() {
    const std::lock_guard lock(mutex);
    return coverage.has_value();
  }
  std::vector<std::string> Reasons() {
    const std::lock_guard lock(mutex);
    std::vector<std::string> reasons;
    for (const LogGap& gap : gaps) reasons.push_back(gap.reason);
    return reasons;
  }

  std::mutex mutex;
  std::vector<std::string> messages;
  std::optional<Coverage> coverage;
  std::vector<LogGap> gaps;
};

template <typename Condition>
bool Eventually(const Condition& condition) {
  for (int i = 0; i < 5000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(1ms);
  }
  return false;
}

class AgentLogsTest : public testing::Test {
 protected:
  AgentLogsTest() {
    api_.Put(kDaemonSets,
             {{"metadata", {{"namespace", "agents"}, {"name", "agent"}, {"uid", "ds"}}}});
  }

  static Json Pod(const std::string& name_space, const std::string& owner_uid,
                  engine::Time started = kNow - 24h) {
    return {{"metadata",
             {{"namespace", name_space},
              {"name", "agent-n1"},
              {"uid", "pod"},
              {"ownerReferences",
               {{{"apiVersion", "apps/v1"},
                 {"kind", "DaemonSet"},
                 {"name", "agent"},
                 {"uid", owner_uid},
                 {"controller", true}}}}}},
            {"spec", {{"nodeName", "n1"}, {"containers", {{{"name", "agent"}}}}}},
            {"status",
             {{"containerStatuses",
               {{{"name", "agent"},
                 {"state", {{"running", {{"startedAt", engine::FormatTime(started)}}}}}}}}}}};
  }
  // An agent that has been there for a day.
  void PutAgent() {
    api_.Put(kPods, Pod("agents", "ds"));
    api_.Log(kAgentLog).Append(Notice("start", kNow - 24h));
    api_.Log(kAgentLog).Append(Notice("caughtUp", kNow - 24h));
  }

  std::unique_ptr<AgentLogs::Subscription> Subscribe(Sink& sink, engine::Time since = kNow - 1h) {
    return logs_.Subscribe("n1", since, sink);
  }
  static bool WaitForEnd(Sink& sink) {
    return Eventually([&] { return sink.Ended(); });
  }

  ScriptedApi api_;
  std::unique_ptr<kube::MetricsRegistry> metrics_ = kube::NewMetricsRegistry();
  LogSlots slots_{4, 2, *metrics_};
  AgentLogs logs_{api_, {"agents", "agent"}, slots_, kFast, [] { return kNow; }};
};

TEST_F(AgentLogsTest, RecordsAsTheyComeAndTheEnd) {
  PutAgent();
  ScriptedLog& log = api_.Log(kAgentLog);
  log.Append(Record(1, "old", "b1", kNow - 2h));
  log.Append(Record(2, "usb 1-1: new device"));
  Sink sink;
  const auto subscription = Subscribe(sink);
  ASSERT_TRUE(Eventually([&] { return sink.Messages().size() == 1; }));
  log.Append(Record(9, "NVRM: Xid"));
  ASSERT_TRUE(Eventually([&] { return sink.Messages().size() == 2; }));
  EXPECT_FALSE(sink.Ended());
  subscription->Seal();
  ASSERT_TRUE(WaitForEnd(sink));
  EXPECT_EQ(sink.coverage, Coverage::kComplete);
  log.Append(Record(10, "late"));
  EXPECT_TRUE(Eventually([&] { return sink.Messages().size() == 3; }));
}

TEST_F(AgentLogsTest, OneReadingForAllWorkloadsOfANode) {
  PutAgent();
  ScriptedLog& log = api_.Log(kAgentLog);
  log.Append(Record(1, "a"));
  std::vector<std::unique_ptr<Sink>> sinks;
  std::vector<std::unique_ptr<AgentLogs::Subscription>> subscriptions;
  for (int i = 0; i < 20; ++i) {
    sinks.push_back(std::make_unique<Sink>());
    subscriptions.push_back(Subscribe(*sinks.back(), kNow - 1h - 10s * i));
  }
  for (const auto& subscription : subscriptions) subscription->Seal();
  for (const auto& sink : sinks) {
    ASSERT_TRUE(WaitForEnd(*sink));
    EXPECT_THAT(sink->Messages(), ElementsAre("a"));
  }
  EXPECT_LE(log.opened(), 2) << "a look at its beginning, and the reading";
}

TEST_F(AgentLogsTest, AWorkloadThatStartedMuchEarlierGetsItsOwnReading) {
  PutAgent();
  ScriptedLog& log = api_.Log(kAgentLog);
  log.Append(Record(1, "early", "b1", kNow - 3h));
  log.Append(Record(2, "late"));
  Sink recent;
  Sink old;
  const auto first = Subscribe(recent);
  ASSERT_TRUE(Eventually([&] { return recent.Messages().size() == 1; }));
  const auto second = Subscribe(old, kNow - 4h);
  EXPECT_TRUE(Eventually([&] { return old.Messages().size() == 2; }));
  EXPECT_THAT(recent.Messages(), ElementsAre("late"));
}

TEST_F(AgentLogsTest, NothingTwiceAfterCutsAndRestarts) {
  PutAgent();
  ScriptedLog& log = api_.Log(kAgentLog);
  for (int i = 1; i <= 5; ++i) log.Append(Record(i, std::to_string(i)));
  Sink sink;
  const auto subscription = Subscribe(sink);
  ASSERT_TRUE(Eventually([&] { return sink.Messages().size() == 5; }));
  for (int i = 0; i < 3; ++i) log.Cut();
  // The agent is restarted: it prints the boot again.
  log.Append(Notice("start"));
  for (int i = 1; i <= 6; ++i) log.Append(Record(i, std::to_string(i)));
  log.Append(Notice("caughtUp"));
  // The node is restarted: numbers begin again.
  log.Append(Record(1, "new boot", "b2"));
  subscription->Seal();
  ASSERT_TRUE(WaitForEnd(sink));
  EXPECT_THAT(sink.Messages(), ElementsAre("1", "2", "3", "4", "5", "6", "new boot"));
  EXPECT_EQ(sink.coverage, Coverage::kComplete);
}

TEST_F(AgentLogsTest, WaitsUntilTheAgentHasCaughtUp) {
  api_.Put(kPods, Pod("agents", "ds", kNow - 1s));
  ScriptedLog& log = api_.Log(kAgentLog);
  log.Append(Notice("start"));
  Sink sink;
  const auto subscription = Subscribe(sink);
  subscription->Seal();
  std::this_thread::sleep_for(100ms);
  EXPECT_FALSE(sink.Ended());
  log.Append(Record(1, "NVRM: Xid"));
  log.Append(Notice("caughtUp"));
  ASSERT_TRUE(WaitForEnd(sink));
  EXPECT_THAT(sink.Messages(), ElementsAre("NVRM: Xid"));
}

TEST_F(AgentLogsTest, APodOfTheSameNameElsewhereIsNotBelieved) {
  api_.Put(kPods, Pod("evil", "ds"));
  api_.Log("evil/agent-n1/agent").Append(Record(1, "NVRM: Xid"));
  Sink sink;
  const auto subscription = Subscribe(sink);
  subscription->Seal();
  ASSERT_TRUE(WaitForEnd(sink));
  EXPECT_THAT(sink.Messages(), IsEmpty());
  EXPECT_EQ(sink.coverage, Coverage::kMissing);
  EXPECT_THAT(sink.Reasons(), ElementsAre("AgentMissing"));
}

TEST_F(AgentLogsTest, NorOneOfAnotherOwnerInTheRightNamespace) {
  api_.Put(kPods, Pod("agents", "another"));
  api_.Log(kAgentLog).Append(Record(1, "NVRM: Xid"));
  Sink sink;
  const auto subscription = Subscribe(sink);
  subscription->Seal();
  ASSERT_TRUE(WaitForEnd(sink));
  EXPECT_THAT(sink.Messages(), IsEmpty());
  EXPECT_THAT(sink.Reasons(), ElementsAre("AgentMissing"));
  EXPECT_THAT(sink.gaps[0].message, HasSubstr("not believed"));
}

TEST_F(AgentLogsTest, MissingRightsAreNamed) {
  PutAgent();
  api_.SetFault([](const std::string& verb, const std::string& resource, const std::string&) {
    if (verb == "get" && resource == "daemonsets") {
      throw kube::ApiError(kube::ErrorReason::kForbidden, 403,
                           "get daemonsets agents/agent: 403 Forbidden");
    }
  });
  Sink sink;
  const auto subscription = Subscribe(sink);
  subscription->Seal();
  ASSERT_TRUE(WaitForEnd(sink));
  EXPECT_EQ(sink.coverage, Coverage::kForbidden);
  ASSERT_THAT(sink.Reasons(), ElementsAre("Forbidden"));
  EXPECT_THAT(sink.gaps[0].message, HasSubstr("get daemonsets"));
}

TEST_F(AgentLogsTest, OverrunsAndFloodsAreGaps) {
  PutAgent();
  ScriptedLog& log = api_.Log(kAgentLog);
  log.Append(Notice("overrun"));
  log.Append(Notice("dropped"));
  log.Append("2026-12-01T05:00:00Z {\"v\":2}");
  log.Append("2026-12-01T05:00:00Z garbage");
  Sink sink;
  const auto subscription = Subscribe(sink);
  subscription->Seal();
  ASSERT_TRUE(WaitForEnd(sink));
  EXPECT_EQ(sink.coverage, Coverage::kPartial);
  EXPECT_THAT(sink.Reasons(),
              ElementsAre("KernelLogOverrun", "KernelLogFlood", "AgentLineUnreadable"));
}

TEST_F(AgentLogsTest, AnAgentsLogThatWasRotatedIsPartial) {
  PutAgent();
  ScriptedLog& log = api_.Log(kAgentLog);
  log.Append(Record(1, "a", "b1", kNow - 10h));
  log.Rotate();
  log.Append(Record(2, "b", "b1", kNow - 1min));
  Sink sink;
  const auto subscription = Subscribe(sink);
  subscription->Seal();
  ASSERT_TRUE(WaitForEnd(sink));
  EXPECT_THAT(sink.Reasons(), ElementsAre("LogRotated"));
}

TEST_F(AgentLogsTest, SoIsThatOfAnAgentThatStartedMeanwhile) {
  for (const bool rotated : {false, true}) {
    api_.Put(kPods, Pod("agents", "ds", kNow - 30min));
    api_.RemoveLog(kAgentLog);
    ScriptedLog& log = api_.Log(kAgentLog);
    log.Append(Notice("start", kNow - 30min));
    log.Append(Record(1, "a", "b1", kNow - 30min));
    if (rotated) log.Rotate();
    log.Append(Notice("caughtUp", kNow - 29min));
    AgentLogs logs(api_, {"agents", "agent"}, slots_, kFast, [] { return kNow; });
    Sink sink;
    const auto subscription = logs.Subscribe("n1", kNow - 1h, sink);
    subscription->Seal();
    ASSERT_TRUE(WaitForEnd(sink));
    EXPECT_EQ(sink.Reasons(),
              rotated ? std::vector<std::string>{"LogRotated"} : std::vector<std::string>());
  }
}

TEST_F(AgentLogsTest, WhatTheKernelOverwroteBeforeAllThatIsAskedForIsNoGap) {
  for (const auto lost : {kNow - 5h, kNow - 30min}) {
    api_.Put(kPods, Pod("agents", "ds", kNow - 20min));
    api_.RemoveLog(kAgentLog);
    ScriptedLog& log = api_.Log(kAgentLog);
    log.Append(Notice("start", kNow - 20min));
    log.Append(Printed(
        kNow - 20min,
        {{"v", 1}, {"bootID", "b1"}, {"kind", "overrun"}, {"time", engine::FormatTime(lost)}}));
    log.Append(Notice("caughtUp", kNow - 19min));
    AgentLogs logs(api_, {"agents", "agent"}, slots_, kFast, [] { return kNow; });
    Sink sink;
    const auto subscription = logs.Subscribe("n1", kNow - 1h, sink);
    subscription->Seal();
    ASSERT_TRUE(WaitForEnd(sink));
    EXPECT_EQ(sink.coverage,
              lost < kNow - 1h ? engine::Coverage::kComplete : engine::Coverage::kPartial);
  }
}

TEST_F(AgentLogsTest, ANodeThatIsAwayIsGivenUpOnlyOnceTheWorkloadHasEnded) {
  PutAgent();
  api_.SetFault([](const std::string&, const std::string& resource, const std::string&) {
    if (resource == "pods/log") {
      throw kube::ApiError(kube::ErrorReason::kInternal, 500, "dial tcp 10.0.0.1:10250: timeout");
    }
  });
  Sink sink;
  const auto subscription = Subscribe(sink);
  std::this_thread::sleep_for(100ms);
  EXPECT_FALSE(sink.Ended());
  subscription->Seal();
  ASSERT_TRUE(WaitForEnd(sink));
  EXPECT_EQ(sink.coverage, Coverage::kMissing);
  EXPECT_THAT(sink.Reasons(), ElementsAre("AgentUnavailable"));
}

TEST_F(AgentLogsTest, AnAgentInACrashLoopIsNotAskedAgainAndAgain) {
  Json pod = Pod("agents", "ds");
  pod["status"]["containerStatuses"][0]["state"] = {{"waiting", {{"reason", "CrashLoopBackOff"}}}};
  api_.Put(kPods, pod);
  ScriptedLog& log = api_.Log(kAgentLog);
  log.Append(Record(1, "a"));
  log.End();
  Sink sink;
  const auto subscription = Subscribe(sink);
  std::this_thread::sleep_for(50ms);
  subscription->Seal();
  ASSERT_TRUE(WaitForEnd(sink));
  EXPECT_THAT(sink.Messages(), ElementsAre("a"));
  EXPECT_THAT(sink.Reasons(), ElementsAre("AgentNotRunning"));
  EXPECT_LE(log.opened(), 4);
}

TEST_F(AgentLogsTest, AgentsDoNotKeepPodLogsFromBeingRead) {
  PutAgent();
  api_.Log(kAgentLog).Append(Record(1, "a"));
  LogSlots one(1, 1, *metrics_);
  AgentLogs logs(api_, {"agents", "agent"}, one, kFast, [] { return kNow; });
  Sink sink;
  const auto subscription = logs.Subscribe("n1", kNow - 1h, sink);
  ASSERT_TRUE(Eventually([&] { return sink.Messages().size() == 1; }));
  std::atomic<bool> read{false};
  const auto pod = one.Add("n1", LogSlots::Priority::kUnread, [&](LogSlots::Turn&) {
    read = true;
    return LogSlots::Next::kDone;
  });
  EXPECT_TRUE(Eventually([&] { return read.load(); }));
  subscription->Seal();
  EXPECT_TRUE(WaitForEnd(sink));
}

TEST(AgentRecordTest, WhoWroteIt) {
  const auto is_kernels = [](const char* fields) {
    const auto line =
        ParseAgentLine(std::string(R"({"v":1,"seq":1,"message":"x",)") + fields + "}");
    return line && IsKernels(*line);
  };
  EXPECT_TRUE(is_kernels(R"("transport":"kernel","facility":0)"));
  EXPECT_TRUE(is_kernels(R"("transport":"kernel")"));
  EXPECT_TRUE(is_kernels(R"("transport":"kmsg","facility":0)"));
  EXPECT_FALSE(is_kernels(R"("transport":"kernel","facility":1)")) << "user space, by /dev/kmsg";
  EXPECT_FALSE(is_kernels(R"("transport":"kmsg","facility":1)"));
  EXPECT_FALSE(is_kernels(R"("transport":"kmsg")"));
  EXPECT_FALSE(is_kernels(R"("transport":"syslog","facility":0)"));
  EXPECT_FALSE(is_kernels(R"("facility":0)"));
}

TEST(AgentRecordTest, WhatIsNoLineOfAnAgent) {
  for (const char* text : {"", "x", "[]", "1", R"({"v":2,"seq":1,"message":"x"})",
                           R"({"v":1,"seq":-1,"message":"x"})", R"({"v":1,"seq":1,"message":2})",
                           R"({"v":1,"seq":1})", R"({"v":1,"seq":1,"message":"x")"}) {
    EXPECT_FALSE(ParseAgentLine(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace controllers
