// SPDX-License-Identifier: Apache-2.0
// Sessions over a real cache, the real engine and the built-in rules.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "controllers/evidence/scripted_api.h"
#include "controllers/evidence/session.h"
#include "controllers/status/resources.h"
#include "controllers/workload/pod_projection.h"
#include "controllers/workload/recorded.h"
#include "engine/ruleset.h"

namespace controllers {
namespace {

using namespace std::chrono_literals;
using engine::Source;
using kube::Json;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const engine::Time kStart = *engine::ParseRfc3339("2026-12-01T04:27:06Z");
const kube::Resource kDaemonSets{"apps", "v1", "daemonsets", "DaemonSet", true};
const kube::Resource kEvents{"", "v1", "events", "Event", true};
constexpr char kLog[] = "default/fail-idx-1-8qds4/main";
constexpr char kAgentLog[] = "agents/agent-node1/agent";

constexpr LogTiming kFast{.idle = 20ms,
                          .sealed_quiet = 30ms,
                          .ended_quiet = 2000ms,
                          .first_retry = 1ms,
                          .last_retry = 5ms,
                          .server_away = 100ms,
                          .node_away = 50ms,
                          .end_wait = 500ms};

std::shared_ptr<const engine::Ruleset> Builtin() {
  static const engine::RulesetLoad load =
      engine::Ruleset::Load(engine::Ruleset::BuiltinDocuments());
  return load.ruleset;
}

template <typename Condition>
bool Eventually(const Condition& condition) {
  for (int i = 0; i < 10'000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(1ms);
  }
  return false;
}

// The recorded pod, which exited 42 two seconds after its start on node1.
class CollectorTest : public testing::Test {
 public:
  ~CollectorTest() override {
    session_.reset();
    collector_.reset();
    stop_.request_stop();
    cache_->Stop();
  }

 protected:
  CollectorTest() {
    api_.Put(kNodes, {{"metadata", {{"name", "node1"}}},
                      {"status",
                       {{"nodeInfo", {{"bootID", "b1"}}},
                        {"conditions",
                         {{{"type", "Ready"}, {"status", "True"}, {"reason", "KubeletReady"}}}}}}});
    options_.node_logs = {"Agent"};
  }
  void PutAgent(const std::string& message, int facility = 0, const std::string& boot = "b1") {
    api_.Put(kDaemonSets,
             {{"metadata", {{"namespace", "agents"}, {"name", "agent"}, {"uid", "ds"}}}});
    api_.Put(
        kPods,
        {{"metadata",
          {{"namespace", "agents"},
           {"name", "agent-node1"},
           {"uid", "a"},
           {"ownerReferences", {{{"kind", "DaemonSet"}, {"uid", "ds"}, {"controller", true}}}}}},
         {"spec", {{"nodeName", "node1"}, {"containers", {{{"name", "agent"}}}}}},
         {"status",
          {{"containerStatuses",
            {{{"state", {{"running", {{"startedAt", "2026-12-01T04:00:00Z"}}}}}}}}}}});
    ScriptedLog& log = api_.Log(kAgentLog);
    log.Append(R"(2026-12-01T04:00:00Z {"v":1,"kind":"start"})");
    log.Append(R"(2026-12-01T04:00:01Z {"v":1,"kind":"caughtUp"})");
    if (message.empty()) return;
    const std::string time = engine::FormatTime(kStart + 1s);
    log.Append(time + ' ' +
               Json{{"v", 1},
                    {"bootID", boot},
                    {"seq", 1},
                    {"time", time},
                    {"facility", facility},
                    {"transport", "kernel"},
                    {"message", message}}
                   .dump());
  }

  void PutLog(const std::vector<std::string>& lines) {
    ScriptedLog& log = api_.Log(kLog);
    for (const std::string& line : lines) log.Append("2026-12-01T04:27:08.1Z " + line);
    log.End();
  }

  void Start(CollectorOptions collector = {}) {
    collector.agent_namespace = "agents";
    collector.agent_daemonset = "agent";
    collector.timing = kFast;
    collector.now = [] { return kStart + 10s; };
    collector_ = NewCollector(api_, *cache_, collector, *metrics_);
    cache_->Start(stop_.get_token());
    ASSERT_TRUE(cache_->WaitForSync(stop_.get_token(), 10s));
    session_ = collector_->Start(subject_, options_, Builtin(), [this] { ++changed_; });
  }
  void Update() {
    session_->Update({.kind = "Job",
                      .name_space = "default",
                      .name = "fail-idx",
                      .outcome = engine::Outcome::kFailed,
                      .start = kStart,
                      .end = kStart + 4s,
                      .nodes = {"node1"},
                      .exclusive_nodes = {"node1"}},
                     pods_,
                     {{"Job condition Failed=True reason=BackoffLimitExceeded message=\"\"",
                       kStart + 4s, false}});
  }
  engine::Attribution Judge() {
    Update();
    session_->Seal();
    EXPECT_TRUE(Eventually([&] { return session_->Drained(); }));
    return session_->Attribute({});
  }
  static const engine::EvidenceReport* Coverage(const engine::Attribution& attribution,
                                                Source source) {
    for (const engine::EvidenceReport& report : attribution.evidence) {
      if (report.source == source) return &report;
    }
    return nullptr;
  }
  static std::vector<std::string> Reasons(const engine::Attribution& attribution) {
    std::vector<std::string> reasons;
    for (const engine::Gap& gap : attribution.gaps) reasons.push_back(gap.reason);
    return reasons;
  }

  static constexpr char kXid[] =
      "NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, name=python3, GPU has fallen off the bus.";

  ScriptedApi api_;
  std::unique_ptr<kube::MetricsRegistry> metrics_ = kube::NewMetricsRegistry();
  std::unique_ptr<kube::Cache> cache_ = kube::NewCache(api_);
  std::stop_source stop_;
  std::vector<kube::ObjectPtr> pods_ = {
      std::make_shared<const Json>(ProjectPod(Recorded("pods-failed-indexed")["items"][0]))};
  SessionSubject subject_{.name_space = "default",
                          .kind = "Job",
                          .name = "fail-idx",
                          .uid = "5c41e4d4-2aee-45cc-ac2a-a82dd0803834"};
  SessionOptions options_;
  std::atomic<int> changed_{0};
  std::unique_ptr<Collector> collector_;
  std::unique_ptr<Session> session_;
};

TEST_F(CollectorTest, TheKernelOfTheNodeProves) {
  PutAgent(kXid);
  PutLog({"torch.distributed.DistBackendError: NCCL error: unhandled system error"});
  Start();
  const engine::Attribution attribution = Judge();
  EXPECT_EQ(attribution.verdict.result, engine::Result::kFailed);
  EXPECT_EQ(attribution.verdict.domain, engine::Domain::kHardware);
  EXPECT_EQ(attribution.verdict.symptom, "xid-79");
  EXPECT_EQ(attribution.verdict.evidence_level, engine::EvidenceLevel::kEstablished);
  EXPECT_EQ(attribution.verdict.culprit.node, "node1");
  EXPECT_TRUE(attribution.verdict.node_fault);
  ASSERT_TRUE(attribution.root && attribution.root->time);
  EXPECT_EQ(session_->BootId("node1", engine::Source::kKernel, *attribution.root->time), "b1");
  EXPECT_EQ(session_->BootId("node1", engine::Source::kKernel, kStart + 1h), "");
  EXPECT_EQ(session_->BootId("node1", engine::Source::kEvent, *attribution.root->time), "");
  EXPECT_EQ(session_->first_failure(), kStart + 2s);
  EXPECT_GE(changed_, 1);
}

// The node runs its next boot already: what was proven is of the one before.
TEST_F(CollectorTest, ARecordBelongsToTheBootThatItWasWrittenUnder) {
  PutAgent(kXid, /*facility=*/0, /*boot=*/"b0");
  Start();
  const engine::Attribution attribution = Judge();
  ASSERT_TRUE(attribution.root && attribution.root->time);
  EXPECT_EQ(session_->BootId("node1", engine::Source::kKernel, *attribution.root->time), "b0");
}

TEST_F(CollectorTest, ALogThatPrintsAPerfectXidProvesNothing) {
  PutAgent("");
  PutLog({kXid});
  Start();
  const engine::Attribution attribution = Judge();
  EXPECT_FALSE(attribution.verdict.node_fault);
  EXPECT_NE(attribution.verdict.evidence_level, engine::EvidenceLevel::kEstablished);
}

TEST_F(CollectorTest, NorDoesATerminationMessage) {
  PutAgent("");
  PutLog({});
  Json pod = *pods_[0];
  pod["status"]["containerStatuses"][0]["state"]["terminated"]["message"] = kXid;
  pods_ = {std::make_shared<const Json>(pod)};
  Start();
  EXPECT_FALSE(Judge().verdict.node_fault);
}

TEST_F(CollectorTest, NorAKmsgLineWrittenByUserSpace) {
  PutAgent(kXid, /*facility=*/1);
  PutLog({});
  Start();
  const engine::Attribution attribution = Judge();
  EXPECT_FALSE(attribution.verdict.node_fault);
  EXPECT_NE(Coverage(attribution, Source::kSyslog), nullptr);
}

TEST_F(CollectorTest, NorAnEventOfSomebody) {
  PutAgent("");
  PutLog({});
  api_.Put(kEvents, {{"metadata", {{"namespace", "default"}, {"name", "e"}, {"uid", "e"}}},
                     {"type", "Warning"},
                     {"reason", "XidError"},
                     {"message", kXid},
                     {"involvedObject",
                      {{"kind", "Pod"},
                       {"name", "fail-idx-1-8qds4"},
                       {"uid", "fa555735-1279-44ea-9b8f-f8912a8f145d"}}}});
  Start();
  const engine::Attribution attribution = Judge();
  EXPECT_FALSE(attribution.verdict.node_fault);
  ASSERT_NE(Coverage(attribution, Source::kEvent), nullptr);
  EXPECT_EQ(Coverage(attribution, Source::kEvent)->lines, 1);
  EXPECT_EQ(Coverage(attribution, Source::kEvent)->complete, 1);
}

TEST_F(CollectorTest, EventsOfAnEarlierAttemptAreLeftOut) {
  PutAgent("");
  PutLog({"x"});
  for (const char* time : {"2026-12-01T04:20:00Z", "2026-12-01T04:27:08Z"}) {
    api_.Put(kEvents, {{"metadata", {{"namespace", "default"}, {"name", time}, {"uid", time}}},
                       {"type", "Warning"},
                       {"reason", "Preempted"},
                       {"firstTimestamp", time},
                       {"lastTimestamp", time},
                       {"involvedObject", {{"kind", "Job"}, {"uid", subject_.uid}}}});
  }
  Start();
  EXPECT_EQ(Coverage(Judge(), Source::kEvent)->lines, 1);
}

TEST_F(CollectorTest, WhoAsksByHandConvictsNobody) {
  subject_.operator_origin = false;
  PutAgent(kXid);
  PutLog({});
  Start();
  const engine::Attribution attribution = Judge();
  EXPECT_FALSE(attribution.verdict.node_fault);
  EXPECT_NE(attribution.verdict.evidence_level, engine::EvidenceLevel::kEstablished);
  if (attribution.root && attribution.root->source == Source::kKernel) {
    EXPECT_THAT(attribution.root->before, IsEmpty());
    EXPECT_THAT(attribution.root->after, IsEmpty());
  }
}

TEST_F(CollectorTest, NothingSaidIsUnknownWithTheLastLines) {
  PutAgent("");
  PutLog({"one", "two", "password=geheim token hf_abcdefghijklmnopqrstuvwxyz0123456789"});
  Start();
  const engine::Attribution attribution = Judge();
  EXPECT_EQ(attribution.verdict.domain, engine::Domain::kUnknown);
  EXPECT_THAT(attribution.tail, Contains(HasSubstr("one")));
  EXPECT_THAT(attribution.tail, testing::Not(Contains(HasSubstr("hf_abcdefghij"))));
  ASSERT_NE(Coverage(attribution, Source::kAppLog), nullptr);
  EXPECT_EQ(Coverage(attribution, Source::kAppLog)->complete, 1);
  EXPECT_EQ(Coverage(attribution, Source::kKernel)->complete, 1);
  EXPECT_THAT(Reasons(attribution), IsEmpty());
}

TEST_F(CollectorTest, TheLastLinesOfOneThatWasReadBeforeItFailed) {
  PutAgent("");
  const kube::ObjectPtr failed = pods_[0];
  Json running = *failed;
  running["status"]["containerStatuses"][0]["state"] = {
      {"running", {{"startedAt", "2026-12-01T04:27:06Z"}}}};
  running["metadata"]["resourceVersion"] = "1";
  running["status"]["phase"] = "Running";
  pods_ = {std::make_shared<const Json>(running)};
  ScriptedLog& log = api_.Log(kLog);
  for (int i = 0; i < 20; ++i) {
    log.Append("2026-12-01T04:27:07Z step " + std::to_string(i));
  }
  Start();
  Update();
  EXPECT_EQ(session_->first_failure(), std::nullopt);
  ASSERT_TRUE(Eventually([&] {
    const engine::Attribution attribution = session_->Attribute({});
    const auto* const report = Coverage(attribution, Source::kAppLog);
    return report != nullptr && report->lines == 20;
  }));
  pods_ = {failed};
  log.Append("2026-12-01T04:27:08Z the end");
  log.End();
  const engine::Attribution attribution = Judge();
  EXPECT_EQ(attribution.verdict.domain, engine::Domain::kUnknown);
  EXPECT_EQ(attribution.tail.size(), 21U);
  EXPECT_THAT(attribution.tail, Contains(HasSubstr("the end")));
}

TEST_F(CollectorTest, PodsWithoutEndAreCutAndTheCutIsTold) {
  options_.node_logs.clear();
  pods_.clear();
  for (int i = 0; i < 20'010; ++i) {
    const std::string name = "p" + std::to_string(i);
    pods_.push_back(std::make_shared<const Json>(
        Json{{"metadata", {{"namespace", "default"}, {"name", name}, {"uid", name}}}}));
  }
  Start();
  EXPECT_THAT(Reasons(Judge()), ElementsAre("TooManyPods"));
  EXPECT_EQ(session_->placement().pods, 20'000);
}

TEST_F(CollectorTest, WithoutAnAgentTheGapSaysSo) {
  PutLog({"x"});
  Start();
  const engine::Attribution attribution = Judge();
  EXPECT_THAT(Reasons(attribution), ElementsAre("AgentMissing"));
  ASSERT_NE(Coverage(attribution, Source::kKernel), nullptr);
  EXPECT_EQ(Coverage(attribution, Source::kKernel)->missing, 1);
}

TEST_F(CollectorTest, APartlyReadLogCountsOnce) {
  PutAgent("");
  api_.Log(kLog).Append("2026-12-01T04:37:08.1Z late");
  api_.Log(kLog).End();
  Start();
  const engine::Attribution attribution = Judge();
  EXPECT_THAT(Reasons(attribution), ElementsAre("LogRotated"));
  EXPECT_EQ(Coverage(attribution, Source::kAppLog)->partial, 1);
  EXPECT_EQ(Coverage(attribution, Source::kAppLog)->missing, 0);
}

TEST_F(CollectorTest, MissingRightsForPodLogsAreNamed) {
  PutAgent("");
  api_.SetFault([](const std::string&, const std::string& resource, const std::string& name) {
    if (resource == "pods/log" && name == kLog) {
      throw kube::ApiError(kube::ErrorReason::kForbidden, 403,
                           "get pods/log default/fail-idx-1-8qds4: 403 Forbidden");
    }
  });
  Start();
  const engine::Attribution attribution = Judge();
  EXPECT_THAT(Reasons(attribution), ElementsAre("Forbidden"));
  EXPECT_EQ(Coverage(attribution, Source::kAppLog)->forbidden, 1);
}

TEST_F(CollectorTest, PodsInAnotherCluster) {
  subject_.remote = true;
  pods_.clear();
  Start();
  const engine::Attribution attribution = Judge();
  EXPECT_EQ(attribution.verdict.uncertainty, engine::Uncertainty::kRemoteCluster);
}

TEST_F(CollectorTest, KubeletLogsSupportOnly) {
  options_.node_logs = {"KubeletLogs"};
  PutLog({"x"});
  api_.SetRaw([](const std::string& path) {
    EXPECT_EQ(path, "/api/v1/nodes/node1/proxy/logs/kern.log");
    return kube::RawResponse{200, "text/plain",
                             std::string("Nov 30 00:00:01 node1 kernel: [1.0] usb 1-1: new device\n"
                                         "Dec  1 04:27:07 node1 kernel: [12345.678901] ") +
                                 kXid + "\n"};
  });
  Start({.kubelet_logs = true});
  const engine::Attribution attribution = Judge();
  EXPECT_FALSE(attribution.verdict.node_fault);
  ASSERT_NE(Coverage(attribution, Source::kSyslog), nullptr);
  EXPECT_EQ(Coverage(attribution, Source::kSyslog)->complete, 1);
}

TEST_F(CollectorTest, AKubeletsLogFileThatBeginsLaterIsPartial) {
  options_.node_logs = {"KubeletLogs"};
  PutLog({"x"});
  for (const char* text : {"Dec  1 04:27:07 node1 kernel: x\n", "nobody knows when\n", ""}) {
    api_.SetRaw([text](const std::string&) { return kube::RawResponse{200, "text/plain", text}; });
    cache_->Stop();
    cache_ = kube::NewCache(api_);
    session_.reset();
    collector_.reset();
    Start({.kubelet_logs = true});
    const engine::Attribution attribution = Judge();
    ASSERT_NE(Coverage(attribution, Source::kSyslog), nullptr);
    EXPECT_EQ(Coverage(attribution, Source::kSyslog)->complete, 0) << text;
    EXPECT_EQ(Coverage(attribution, Source::kSyslog)->partial, 1) << text;
    EXPECT_THAT(Reasons(attribution), ElementsAre("KernelLogRotated")) << text;
  }
}

TEST_F(CollectorTest, EventsAboutItsNodesAreReadAndProveNothing) {
  PutAgent("");
  PutLog({"x"});
  const auto put = [&](const char* name, const char* node, const char* time,
                       const char* message = "m") {
    api_.Put(kEvents, {{"metadata", {{"namespace", "default"}, {"name", name}, {"uid", name}}},
                       {"type", "Warning"},
                       {"reason", "Rebooted"},
                       {"message", message},
                       {"firstTimestamp", time},
                       {"lastTimestamp", time},
                       // A kubelet puts the name in the UID's place.
                       {"involvedObject", {{"kind", "Node"}, {"name", node}, {"uid", node}}}});
  };
  put("now", "node1", "2026-12-01T04:27:08Z", kXid);
  put("just-before", "node1", "2026-12-01T04:25:00Z");
  put("yesterday", "node1", "2026-11-30T04:27:08Z");
  put("later", "node1", "2026-12-01T05:27:08Z");
  put("another", "node2", "2026-12-01T04:27:08Z");
  Start();
  const engine::Attribution attribution = Judge();
  ASSERT_NE(Coverage(attribution, Source::kEvent), nullptr);
  EXPECT_EQ(Coverage(attribution, Source::kEvent)->lines, 2);
  EXPECT_FALSE(attribution.verdict.node_fault);
  EXPECT_NE(attribution.verdict.evidence_level, engine::EvidenceLevel::kEstablished);
}

TEST_F(CollectorTest, EventsAsTheyAreRecorded) {
  options_.node_logs.clear();
  pods_ = {std::make_shared<const Json>(ProjectPod(Recorded("pod-failed-exit1")))};
  subject_.name = "fail1";
  subject_.uid = "e593b9a2-0151-467b-ba4b-90d45f22bd10";
  const Json recorded = Recorded("events-job-failed");
  for (const Json& event : recorded["items"]) api_.Put(kEvents, event);
  Json own = recorded["items"][0];
  own["metadata"]["name"] = own["metadata"]["uid"] = "own";
  own["reportingComponent"] = kOperatorName;
  own["message"] = "Hardware: a verdict is no evidence";
  api_.Put(kEvents, own);
  Start();
  const auto start = *engine::ParseRfc3339("2026-12-01T04:12:34Z");
  session_->Update({.kind = "Job",
                    .name_space = "default",
                    .name = "fail1",
                    .outcome = engine::Outcome::kFailed,
                    .start = start,
                    .end = start + 3s,
                    .nodes = {"node1"}},
                   pods_, {});
  session_->Seal();
  EXPECT_TRUE(Eventually([&] { return session_->Drained(); }));
  EXPECT_EQ(Coverage(session_->Attribute({}), Source::kEvent)->lines, 15)
      << "four of the pod, two of the Job, nine of the node";
}

TEST_F(CollectorTest, WhoAsksByHandGetsNoEventsAboutNodes) {
  subject_.name_space = "team";
  subject_.operator_origin = false;
  PutAgent("");
  PutLog({"x"});
  api_.Put(kEvents, {{"metadata", {{"namespace", "default"}, {"name", "e"}, {"uid", "e"}}},
                     {"involvedObject", {{"kind", "Node"}, {"name", "node1"}}}});
  Start();
  EXPECT_EQ(Coverage(Judge(), Source::kEvent), nullptr);
}

TEST_F(CollectorTest, EventsAboutNodesThatMayNotBeReadAreAGap) {
  subject_.name_space = "team";
  PutAgent("");
  PutLog({"x"});
  api_.SetFault([](const std::string& verb, const std::string& resource, const std::string& name) {
    if (verb == "list" && resource == "events" && name == "default") {
      throw kube::ApiError(kube::ErrorReason::kForbidden, 403, "list events default: 403");
    }
  });
  Start();
  const engine::Attribution attribution = Judge();
  EXPECT_THAT(Reasons(attribution), ElementsAre("Forbidden"));
  EXPECT_EQ(Coverage(attribution, Source::kEvent)->forbidden, 1);
}

TEST_F(CollectorTest, KubeletLogsAreOffUnlessTheOperatorMay) {
  options_.node_logs = {"KubeletLogs"};
  PutLog({"x"});
  api_.SetRaw([](const std::string&) -> kube::RawResponse {
    ADD_FAILURE() << "read all the same";
    return {};
  });
  Start();
  EXPECT_THAT(Reasons(Judge()), ElementsAre("KubeletLogsDisabled"));
}

TEST_F(CollectorTest, NodesThatTurnBadLaterAreHeardOf) {
  PutAgent("");
  PutLog({"x"});
  Start();
  Judge();
  const std::int64_t before = Coverage(session_->Attribute({}), Source::kNodeCondition)->lines;
  const int changes = changed_;
  Json node = api_.Object(kNodes, {{}, "node1"});
  node["status"]["conditions"][0]["status"] = "Unknown";
  api_.Put(kNodes, node);
  EXPECT_TRUE(Eventually([&] { return changed_ > changes; }));
  EXPECT_EQ(Coverage(session_->Attribute({}), Source::kNodeCondition)->lines, before + 1);
}

TEST_F(CollectorTest, LateKernelRecordsAreNews) {
  PutAgent("");
  PutLog({"x"});
  Start();
  EXPECT_FALSE(Judge().verdict.node_fault);
  const int changes = changed_;
  PutAgent(kXid);
  EXPECT_TRUE(Eventually([&] { return changed_ > changes; }));
  EXPECT_TRUE(session_->Attribute({}).verdict.node_fault);
}

TEST_F(CollectorTest, BothRunsOfARestartedContainer) {
  Json pod = Recorded("pod-restarted-laststate");
  pods_ = {std::make_shared<const Json>(ProjectPod(pod))};
  api_.Log("default/re/main/previous").Append("2026-12-01T05:09:47.1Z first");
  api_.Log("default/re/main").Append("2026-12-01T05:09:47.9Z second");
  options_.node_logs.clear();
  Start();
  const engine::Attribution attribution = Judge();
  EXPECT_EQ(Coverage(attribution, Source::kAppLog)->complete, 2);
  EXPECT_EQ(Coverage(attribution, Source::kAppLog)->lines, 2);
}

TEST_F(CollectorTest, ARunThatIsFollowedWhenItsContainerRestarts) {
  Json pod = Recorded("pod-restarted-laststate");
  Json& status = pod["status"]["containerStatuses"][0];
  const Json restarted = status;
  status["restartCount"] = 0;
  status["lastState"] = Json::object();
  pods_ = {std::make_shared<const Json>(ProjectPod(pod))};
  ScriptedLog& first = api_.Log("default/re/main");
  first.Append("2026-12-01T05:09:47.1Z first");
  options_.node_logs.clear();
  Start();
  Update();
  ASSERT_TRUE(Eventually([&] { return first.opened() == 1; }));
  api_.Log("default/re/main/previous").Append("2026-12-01T05:09:47.1Z first");
  first.Append("2026-12-01T05:09:47.9Z second");
  first.End();
  status = restarted;
  pod["metadata"]["resourceVersion"] = "1000";
  pods_ = {std::make_shared<const Json>(ProjectPod(pod))};
  const engine::Attribution attribution = Judge();
  EXPECT_GE(Coverage(attribution, Source::kAppLog)->lines, 2);
  EXPECT_THAT(Reasons(attribution), IsEmpty());
}

TEST_F(CollectorTest, ManyAtOnceShareTheReads) {
  PutAgent(kXid);
  PutLog({"x"});
  Start();
  std::vector<std::unique_ptr<Session>> sessions;
  for (int i = 0; i < 30; ++i) {
    sessions.push_back(collector_->Start(subject_, options_, Builtin(), [] {}));
    std::swap(session_, sessions.back());
    Update();
    session_->Seal();
    std::swap(session_, sessions.back());
  }
  for (const auto& session : sessions) {
    ASSERT_TRUE(Eventually([&] { return session->Drained(); }));
    EXPECT_TRUE(session->Attribute({}).verdict.node_fault);
  }
  EXPECT_LE(api_.Log(kAgentLog).opened(), 12);
}

TEST_F(CollectorTest, EndsWhileItReads) {
  PutAgent(kXid);
  api_.Log(kLog).Append("2026-12-01T04:27:08.1Z x");  // never ends
  Start();
  Update();
  session_.reset();
}

TEST_F(CollectorTest, HowLargeItWas) {
  options_.node_logs.clear();
  Start();
  Json pod = *pods_[0];
  pod["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] = "8";
  Json retry = pod;
  retry["metadata"]["uid"] = "retry";
  retry["spec"]["nodeName"] = "node2";
  retry["status"]["startTime"] = "2026-12-01T04:27:30Z";
  retry["status"]["containerStatuses"][0]["state"]["terminated"]["finishedAt"] =
      "2026-12-01T04:27:40Z";
  pods_ = {std::make_shared<const Json>(pod), std::make_shared<const Json>(retry)};
  Update();
  const Placement placement = session_->placement();
  EXPECT_EQ(placement.pods, 1);
  EXPECT_EQ(placement.gpus, 8);
  EXPECT_EQ(placement.nodes, 2);
  EXPECT_EQ(placement.framework, "Job");
}

}  // namespace
}  // namespace controllers
