// SPDX-License-Identifier: Apache-2.0
// The reconciler over a real cache and a scripted API server.
#include "controllers/nodefault/node_fault_controller.h"

#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "controllers/evidence/scripted_api.h"
#include "controllers/nodefault/node_action_policy_controller.h"
#include "controllers/nodefault/node_pool.h"
#include "controllers/status/conditions.h"
#include "controllers/status/resources.h"

namespace controllers {
namespace {

using namespace std::chrono_literals;
using kube::Json;

const engine::Time kNow = *engine::ParseRfc3339("2026-12-01T05:00:00Z");
constexpr char kRecently[] = "2026-12-01T04:55:00Z";

class NoEvents final : public kube::EventRecorder {
 public:
  void Event(const Json& /*regarding*/, kube::EventType /*type*/, const std::string& /*reason*/,
             const std::string& /*action*/, const std::string& /*note*/) override {}
  void Flush(std::chrono::milliseconds /*timeout*/) override {}
};

// Node "n1" of ten, and fault "f1" of it, which attribution "f1" reported; a policy that enforces.
class NodeFaultControllerTest : public testing::Test {
 public:
  ~NodeFaultControllerTest() override {
    stop_.request_stop();
    cache_->Stop();
  }

 protected:
  NodeFaultControllerTest() {
    for (int i = 1; i <= 10; ++i) PutNode("n" + std::to_string(i));
    PutFault("f1", "n1");
    policy_ = {{"metadata", {{"name", "p"}}},
               {"spec",
                {{"precedence", 1},
                 {"nodeSelector", Json::object()},
                 {"mode", "Enforce"},
                 {"actions", {"Condition", "Taint"}},
                 {"maxUnavailable", "20%"},
                 {"maxPerHour", 4}}}};
  }
  void PutNode(const std::string& name) {
    api_.Put(kNodes, {{"metadata", {{"name", name}}},
                      {"spec", Json::object()},
                      {"status",
                       {{"nodeInfo", {{"bootID", "b1"}}},
                        {"capacity", {{"nvidia.com/gpu", "8"}}},
                        {"conditions", {{{"type", "Ready"}, {"status", "True"}}}}}}});
  }
  void PutFault(const std::string& name, const std::string& node,
                const std::string& symptom = "xid-79") {
    api_.Put(kNodeFaults,
             {{"metadata", {{"name", name}}},
              {"spec", {{"nodeName", node}, {"symptom", symptom}, {"device", {{"type", "GPU"}}}}},
              {"status",
               {{"evidenceLevel", "Established"},
                {"bootID", "b1"},
                {"lastTime", kRecently},
                {"attributions", {{{"namespace", "team"}, {"name", name}, {"uid", name}}}}}}});
    api_.Put(kAttributions, {{"metadata", {{"namespace", "team"}, {"name", name}, {"uid", name}}},
                             {"status",
                              {{"verdict",
                                {{"result", "Failed"},
                                 {"evidenceLevel", "Established"},
                                 {"symptom", symptom},
                                 {"culprit", {{"node", node}}}}},
                               {"conditions", {{{"type", "Ready"}, {"status", "True"}}}}}}});
  }
  void Edit(const kube::Resource& resource, const std::string& name, const char* where, Json what) {
    const kube::ObjectKey key{resource.resource == kAttributions.resource ? "team" : "", name};
    Json object = api_.Object(resource, key);
    object[Json::json_pointer(where)] = std::move(what);
    api_.Put(resource, std::move(object));
  }
  kube::Result Reconcile(const std::string& node = "n1") {
    if (!started_) {
      api_.Put(kNodeActionPolicies, policy_);
      cache_->Start(stop_.get_token());
      EXPECT_TRUE(cache_->WaitForSync(stop_.get_token(), 10s));
      started_ = true;
    }
    return reconciler_.Reconcile({{}, node}, {});
  }
  Json Node(const std::string& name = "n1") { return api_.Object(kNodes, {{}, name}); }
  std::string Reason(const std::string& fault = "f1") {
    return ConditionReason(api_.Object(kNodeFaults, {{}, fault}), "Tainted");
  }
  int NodePatches() { return api_.Requests()["patch nodes"]; }

  ScriptedApi api_;
  NoEvents events_;
  Json policy_;
  std::unique_ptr<kube::MetricsRegistry> metrics_ = kube::NewMetricsRegistry();
  std::unique_ptr<kube::Cache> cache_ = kube::NewCache(api_);
  std::stop_source stop_;
  bool started_ = false;
  kube::Informer& policies_ = NodeActionPolicyInformer(*cache_);
  NodeFaultReconciler reconciler_{
      api_, policies_, events_, *metrics_, {.now = [] { return kNow; }, .may_act = true}};
};

TEST_F(NodeFaultControllerTest, TaintsOnceAndReleasesWhenAsked) {
  Edit(kNodes, "n1", "/spec/taints", {{{"key", "team"}, {"effect", "NoSchedule"}}});
  Reconcile();
  EXPECT_EQ(Reason(), "Tainted");
  EXPECT_TRUE(HasTaint(Node()));
  EXPECT_EQ(TaintOwners(Node()), std::vector<std::string>{"f1"});
  EXPECT_EQ(Node()["spec"]["taints"].size(), 2U) << "a foreign taint stays";
  EXPECT_EQ(ConditionStatus(Node(), kConditionType), "True");
  Reconcile();
  EXPECT_EQ(NodePatches(), 1);

  Edit(kNodeFaults, "f1", "/spec/release", {{"reason", "replaced"}});
  Reconcile();
  EXPECT_EQ(Reason(), "Released");
  EXPECT_FALSE(HasTaint(Node()));
  EXPECT_TRUE(TaintOwners(Node()).empty());
  EXPECT_EQ(Node()["spec"]["taints"][0]["key"], "team");
  EXPECT_EQ(ConditionStatus(Node(), kConditionType), "False");
}

TEST_F(NodeFaultControllerTest, AConflictLeadsToAFreshDecision) {
  api_.SetFault([&](const std::string& verb, const std::string& resource, const std::string&) {
    if (verb != "patch" || resource != "nodes") return;
    api_.SetFault(nullptr);
    Edit(kNodes, "n1", "/status/nodeInfo/bootID", "b2");
  });
  EXPECT_THROW(Reconcile(), kube::ApiError);
  EXPECT_FALSE(HasTaint(Node()));
  Reconcile();
  EXPECT_EQ(Reason(), "Stale") << "the node has booted in between";
  EXPECT_FALSE(HasTaint(Node()));
}

TEST_F(NodeFaultControllerTest, SomebodyElsesTaintIsLeftAlone) {
  const Json taints = {{{"key", kTaintKey}, {"effect", "NoSchedule"}}};
  Edit(kNodes, "n1", "/spec/taints", taints);
  Reconcile();
  EXPECT_EQ(Reason(), "AlreadyUnavailable");
  Edit(kNodeFaults, "f1", "/spec/release", {{"reason", "replaced"}});
  Reconcile();
  EXPECT_EQ(Reason(), "Released");
  EXPECT_EQ(Node()["spec"]["taints"], taints);
  EXPECT_EQ(NodePatches(), 0);
}

TEST_F(NodeFaultControllerTest, TwoFaultsShareATaintThatGoesWithTheLast) {
  PutFault("f2", "n1", "xid-48");
  Reconcile();
  EXPECT_EQ(TaintOwners(Node()), (std::vector<std::string>{"f1", "f2"}));
  EXPECT_EQ(NodePatches(), 1);
  Edit(kNodeFaults, "f1", "/spec/release", {{"reason", "replaced"}});
  Reconcile();
  EXPECT_TRUE(HasTaint(Node()));
  EXPECT_EQ(TaintOwners(Node()), std::vector<std::string>{"f2"});
  Edit(kNodeFaults, "f2", "/spec/release", {{"reason", "replaced"}});
  Reconcile();
  EXPECT_FALSE(HasTaint(Node()));
}

TEST_F(NodeFaultControllerTest, ACrashBetweenNodeAndStatusActsOnce) {
  api_.SetFault([](const std::string& verb, const std::string& resource, const std::string&) {
    if (verb == "patch" && resource == "nodefaults/status") {
      throw kube::ApiError(kube::ErrorReason::kUnavailable, 503, "gone");
    }
  });
  EXPECT_THROW(Reconcile(), kube::ApiError);
  EXPECT_TRUE(HasTaint(Node()));
  api_.SetFault(nullptr);
  Reconcile();
  EXPECT_EQ(Reason(), "Tainted");
  EXPECT_EQ(NodePatches(), 1);
  EXPECT_EQ(Node()["spec"]["taints"].size(), 1U);
}

TEST_F(NodeFaultControllerTest, TheTaintIsNotPutBackAfterAPersonRemovedIt) {
  Reconcile();
  Edit(kNodes, "n1", "/spec/taints", Json::array());
  Reconcile();
  EXPECT_EQ(Reason(), "Released");
  Reconcile();
  EXPECT_FALSE(HasTaint(Node()));
}

TEST_F(NodeFaultControllerTest, MaxPerHourIsOfThePool) {
  policy_["spec"]["maxPerHour"] = 1;
  PutFault("f2", "n2", "xid-48");
  Reconcile("n1");
  EXPECT_TRUE(Reconcile("n2").requeue_after);
  EXPECT_EQ(Reason("f2"), "BudgetExceeded");
  EXPECT_FALSE(HasTaint(Node("n2")));
  api_.Remove(kNodeFaults, {{}, "f1"});
  Reconcile("n1");
  EXPECT_FALSE(HasTaint(Node("n1")));
  Reconcile("n2");
  EXPECT_EQ(Reason("f2"), "BudgetExceeded") << "the condition of n1 tells of the deleted fault";
}

TEST_F(NodeFaultControllerTest, OnlyListedSymptoms) {
  policy_["spec"]["symptoms"] = {"xid-48"};
  Reconcile();
  EXPECT_EQ(Reason(), "NotAllowed");
  EXPECT_EQ(NodePatches(), 0);
}

TEST_F(NodeFaultControllerTest, AnUnknownOrEarlierBootOrAnOldRecordIsStale) {
  Edit(kNodeFaults, "f1", "/status/bootID", "b0");
  Reconcile();
  EXPECT_EQ(Reason(), "Stale");
  Edit(kNodeFaults, "f1", "/status/bootID", nullptr);
  Reconcile();
  EXPECT_EQ(Reason(), "Stale");
  Edit(kNodeFaults, "f1", "/status/bootID", "b1");
  Edit(kNodeFaults, "f1", "/status/lastTime", "2026-12-01T04:00:00Z");
  Reconcile();
  EXPECT_EQ(Reason(), "Stale");
  EXPECT_EQ(NodePatches(), 0);
}

TEST_F(NodeFaultControllerTest, WaitsForTheAttributionAndHeedsItsRevision) {
  Edit(kAttributions, "f1", "/status/conditions/0/status", "False");
  EXPECT_TRUE(Reconcile().requeue_after);
  EXPECT_EQ(Reason(), "Settling");
  Edit(kAttributions, "f1", "/status/conditions/0/status", "True");
  Edit(kAttributions, "f1", "/status/verdict/culprit/node", "n2");
  Reconcile();
  EXPECT_EQ(Reason(), "Withdrawn");
  EXPECT_EQ(NodePatches(), 0);
}

TEST_F(NodeFaultControllerTest, TheTaintOutlivesTheAttribution) {
  Reconcile();
  api_.Remove(kAttributions, {"team", "f1"});
  Reconcile();
  EXPECT_TRUE(HasTaint(Node()));
  EXPECT_EQ(Reason(), "Tainted");
}

}  // namespace
}  // namespace controllers
