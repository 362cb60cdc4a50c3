// SPDX-License-Identifier: Apache-2.0
#include "controllers/attribution/attribution_controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "controllers/attribution/attribution_informer.h"
#include "controllers/evidence/scripted_api.h"
#include "controllers/nodefault/node_fault_controller.h"
#include "controllers/status/conditions.h"
#include "controllers/status/resources.h"
#include "controllers/workload/job_kind.h"
#include "controllers/workload/pod_projection.h"
#include "controllers/workload/recorded.h"

namespace controllers {
namespace {

using namespace std::chrono_literals;
using kube::Json;

const engine::Time kNow = *engine::ParseRfc3339("2026-12-01T05:00:00Z");

class NoEvents final : public kube::EventRecorder {
 public:
  void Event(const Json& /*regarding*/, kube::EventType /*type*/, const std::string& /*reason*/,
             const std::string& /*action*/, const std::string& /*note*/) override {}
  void Flush(std::chrono::milliseconds /*timeout*/) override {}
};

class AttributionControllerTest : public testing::Test {
 public:
  ~AttributionControllerTest() override {
    reconciler_.reset();
    collector_.reset();
    stop_.request_stop();
    cache_->Stop();
  }

 protected:
  void Put(const std::string& name, const std::string& workload, const std::string& uid,
           const std::string& origin) {
    api_.Put(kAttributions,
             {{"metadata",
               {{"namespace", "default"},
                {"name", name},
                {"uid", name},
                {"creationTimestamp", engine::FormatTime(kNow)}}},
              {"spec",
               {{"workload",
                 {{"apiVersion", "batch/v1"}, {"kind", "Job"}, {"name", workload}, {"uid", uid}}}}},
              {"status", {{"origin", origin}}}});
  }
  kube::Result Reconcile(const std::string& name) {
    if (!started_) {
      cache_->Start(stop_.get_token());
      EXPECT_TRUE(cache_->WaitForSync(stop_.get_token(), 10s));
      reconciler_->SetNotify([](const kube::Request&) {});
      started_ = true;
    }
    // What was written has to come back first.
    const std::string version = kube::ResourceVersionOf(Made(name));
    for (int i = 0; i < 5000; ++i) {
      const kube::ObjectPtr known = attributions_.Get({"default", name});
      if (known && kube::ResourceVersionOf(*known) == version) break;
      std::this_thread::sleep_for(1ms);
    }
    return reconciler_->Reconcile({"default", name}, {});
  }
  Json Made(const std::string& name) { return api_.Object(kAttributions, {"default", name}); }
  std::string Ready(const std::string& name) {
    const Json made = Made(name);
    const Json* const condition = FindCondition(made, "Ready");
    return condition == nullptr ? std::string() : kube::StringAt(*condition, "/reason");
  }

  ScriptedApi api_;
  NoEvents events_;
  std::unique_ptr<kube::MetricsRegistry> metrics_ = kube::NewMetricsRegistry();
  std::unique_ptr<kube::Cache> cache_ = kube::NewCache(api_);
  std::stop_source stop_;
  bool started_ = false;
  engine::Time now_ = kNow;
  std::unique_ptr<WorkloadKind> jobs_ = NewJobKind(*cache_, {});
  kube::Informer& attributions_ = AttributionInformer(*cache_, {});
  std::unique_ptr<RulesetStore> rulesets_ = NewRulesetStore();
  std::unique_ptr<PolicyStore> policies_ = NewPolicyStore();
  std::unique_ptr<Collector> collector_ = NewCollector(api_, *cache_, {}, *metrics_);
  std::unique_ptr<AttributionReconciler> reconciler_ = std::make_unique<AttributionReconciler>(
      AttributionInputs{.client = api_,
                        .events = events_,
                        .metrics = *metrics_,
                        .attributions = attributions_,
                        .faults = NodeFaultInformer(*cache_),
                        .nodes = NodeInformer(*cache_),
                        .namespaces = nullptr,
                        .rulesets = *rulesets_,
                        .policies = *policies_,
                        .collector = *collector_},
      AttributionOptions{
          .kinds = {jobs_.get()},
          .policy_for = [this](const WorkloadKind&,
                               const Json&) { return std::optional(policies_->Default()); },
          .now = [this] { return now_; }});
};

TEST_F(AttributionControllerTest, AWorkloadThatIsGoneIsUnknown) {
  Put("gone", "gone", "u1", "Operator");
  EXPECT_TRUE(Reconcile("gone").requeue_after.has_value());
  EXPECT_EQ(Ready("gone"), "WorkloadNotFound") << "the cache may not have it yet";
  now_ += 11s;
  Reconcile("gone");
  const Json made = Made("gone");
  EXPECT_EQ(kube::StringAt(made, "/status/verdict/result"), "Unknown");
  EXPECT_EQ(kube::StringAt(made, "/status/verdict/uncertainty"), "NoEvidence");
  EXPECT_EQ(kube::StringAt(made, "/status/gaps/0/reason"), "WorkloadNotFound");
  EXPECT_EQ(kube::StringAt(made, "/status/origin"), "Operator");
  EXPECT_EQ(Ready("gone"), "Settled");
}

TEST_F(AttributionControllerTest, RulesetsThatDoNotExistAreAGap) {
  Put("gone", "gone", "u1", "Operator");
  Json request = Made("gone");
  request["spec"]["rulesets"] = {"builtin", "nope"};
  api_.Put(kAttributions, request);
  Reconcile("gone");
  now_ += 11s;
  Reconcile("gone");
  std::vector<std::string> objects;
  const Json made = Made("gone");
  for (const Json& gap : made["status"]["gaps"]) {
    if (gap["reason"] == "RulesetMissing") objects.push_back(gap["object"]);
  }
  EXPECT_EQ(objects, std::vector<std::string>{"attributionruleset/nope"});

  Json job = Recorded("job-failed-backofflimit");
  api_.Put(kJobs, job);
  Put("failed", kube::NameOf(job), kube::UidOf(job), "Operator");
  request = Made("failed");
  request["spec"]["rulesets"] = {"nope"};
  api_.Put(kAttributions, request);
  for (int i = 0; i < 5000 && !Made("failed")["status"].contains("gaps"); ++i) {
    Reconcile("failed");
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_NE(Made("failed")["status"]["gaps"].dump().find("RulesetMissing"), std::string::npos);
}

TEST_F(AttributionControllerTest, RequestsWaitForEachOtherAndEnd) {
  Json job = Recorded("job-failed-backofflimit");
  job["status"].erase("conditions");
  api_.Put(kJobs, job);
  for (int i = 0; i < 33; ++i) {
    Put("request-" + std::to_string(i), kube::NameOf(job), kube::UidOf(job), "Request");
  }
  for (int i = 0; i < 33; ++i) Reconcile("request-" + std::to_string(i));
  EXPECT_EQ(Ready("request-31"), "");
  EXPECT_EQ(Ready("request-32"), "Waiting");
  now_ += 31min;
  for (int i = 0; i < 5000 && Ready("request-0") != "Settling"; ++i) {
    Reconcile("request-0");
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_EQ(Ready("request-0"), "Settling");
  EXPECT_EQ(kube::StringAt(Made("request-0"), "/status/gaps/0/reason"), "CutShort");
  now_ += 2min;
  Reconcile("request-0");
  EXPECT_EQ(Ready("request-0"), "Settled");
  now_ += 2min;
  Reconcile("request-0");  // lets go of it
  Reconcile("request-32");
  now_ += 6s;
  Reconcile("request-32");
  EXPECT_EQ(Ready("request-32"), "Collecting");
}

}  // namespace
}  // namespace controllers
