// SPDX-License-Identifier: Apache-2.0
#include "controllers/workload/workload_controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "controllers/attribution/attribution_informer.h"
#include "controllers/evidence/scripted_api.h"
#include "controllers/status/resources.h"
#include "controllers/workload/attribution_request.h"
#include "controllers/workload/job_kind.h"
#include "controllers/workload/pod_projection.h"
#include "controllers/workload/recorded.h"
#include "controllers/workload/workload_policy.h"

namespace controllers {
namespace {

using namespace std::chrono_literals;
using kube::Json;

constexpr char kName[] = "fail1";

class NoEvents final : public kube::EventRecorder {
 public:
  void Event(const Json& /*regarding*/, kube::EventType /*type*/, const std::string& reason,
             const std::string& /*action*/, const std::string& note) override {
    last = reason + ": " + note;
  }
  void Flush(std::chrono::milliseconds /*timeout*/) override {}
  std::string last;
};

class WorkloadControllerTest : public testing::Test {
 public:
  ~WorkloadControllerTest() override {
    stop_.request_stop();
    cache_->Stop();
  }

 protected:
  WorkloadControllerTest() {
    api_.Put(kJobs, Recorded("job-failed-backofflimit"));
    api_.Put(kPods, Recorded("pod-failed-exit1"));
  }

  void Reconcile() {
    if (!started_) {
      cache_->Start(stop_.get_token());
      ASSERT_TRUE(cache_->WaitForSync(stop_.get_token(), 10s));
      started_ = true;
    }
    result_ = reconciler_.Reconcile({"default", kName}, {});
  }
  Json Wanted() {
    const Json job = Recorded("job-failed-backofflimit");
    return AttributionFor(*jobs_, job, jobs_->CurrentAttempt(job));
  }
  Json Made() { return api_.Object(kAttributions, kube::KeyOf(Wanted())); }
  std::string Origin() { return kube::StringAt(Made(), "/status/origin"); }

  ScriptedApi api_;
  NoEvents events_;
  std::unique_ptr<kube::MetricsRegistry> metrics_ = kube::NewMetricsRegistry();
  std::unique_ptr<kube::Cache> cache_ = kube::NewCache(api_);
  std::stop_source stop_;
  bool started_ = false;
  std::unique_ptr<WorkloadKind> jobs_ = NewJobKind(*cache_, {});
  std::optional<AppliedPolicy> policy_ = AppliedPolicy{};
  WorkloadReconciler reconciler_{*jobs_,
                                 {api_, events_, *metrics_, AttributionInformer(*cache_, {}),
                                  [this](const WorkloadKind&, const Json&) { return policy_; }}};
  kube::Result result_;
};

TEST_F(WorkloadControllerTest, AFailedJobGetsItsAttribution) {
  Reconcile();
  const Json made = Made();
  ASSERT_TRUE(made.is_object());
  EXPECT_EQ(made["spec"], Json::parse(R"({"workload": {
      "apiVersion": "batch/v1", "kind": "Job", "name": "fail1",
      "uid": "e593b9a2-0151-467b-ba4b-90d45f22bd10", "attemptID": "2026-12-01T04:12:34Z"}})"));
  EXPECT_EQ(kube::LabelOf(made, kWorkloadUidLabel), "e593b9a2-0151-467b-ba4b-90d45f22bd10");
  EXPECT_FALSE(made["metadata"].contains("ownerReferences"));
  EXPECT_EQ(Origin(), "Operator");
}

TEST_F(WorkloadControllerTest, AgainAndAgainMakesOne) {
  for (int i = 0; i < 5; ++i) Reconcile();
  EXPECT_EQ(api_.Count(kAttributions), 1U);
  const auto requests = api_.Requests();
  EXPECT_LE(requests.at("patch attributions/status"), 1);
  EXPECT_EQ(events_.last, "");
}

TEST_F(WorkloadControllerTest, KilledBetweenCreateAndClaim) {
  api_.Put(kAttributions, Wanted());  // made before the end, not claimed
  Reconcile();
  EXPECT_EQ(Origin(), "Operator");
}

TEST_F(WorkloadControllerTest, KilledAnywhere) {
  // Every request fails once, at every place; what is left must be picked up.
  std::atomic<int> countdown{0};
  for (int place = 1; place <= 4; ++place) {
    countdown = place;
    api_.SetFault([&](const std::string& verb, const std::string& resource, const std::string&) {
      if (resource.starts_with("attributions") && (verb == "create" || verb == "patch") &&
          --countdown == 0) {
        throw kube::ApiError(kube::ErrorReason::kUnavailable, 0, "cut");
      }
    });
    try {
      Reconcile();
    } catch (const kube::ApiError&) {
      Reconcile();
    }
    EXPECT_EQ(api_.Count(kAttributions), 1U);
    EXPECT_EQ(Origin(), "Operator");
  }
}

TEST_F(WorkloadControllerTest, SomebodyElsesRequestIsNotClaimed) {
  Json request = Wanted();
  request["spec"]["window"] = {{"startTime", "2026-11-01T00:00:00Z"}};
  api_.Put(kAttributions, request);
  Reconcile();
  EXPECT_EQ(Origin(), "");
  EXPECT_TRUE(events_.last.starts_with("NameTaken: Attribution " + kube::NameOf(request)))
      << events_.last;
}

TEST_F(WorkloadControllerTest, WhatIsKnownAsARequestStaysOne) {
  Json request = Wanted();
  request["status"]["origin"] = "Request";
  api_.Put(kAttributions, request);
  Reconcile();
  EXPECT_EQ(Origin(), "Request");
  EXPECT_TRUE(events_.last.starts_with("NameTaken")) << events_.last;
}

TEST_F(WorkloadControllerTest, NobodyAskedToWatch) {
  policy_.reset();
  Reconcile();
  EXPECT_EQ(api_.Count(kAttributions), 0U);
}

TEST_F(WorkloadControllerTest, ThePolicyChoosesTheTriggers) {
  policy_->spec.triggers = {"Evicted"};
  Reconcile();
  EXPECT_EQ(api_.Count(kAttributions), 0U);
  policy_->spec.triggers = {"WorkloadFailed"};
  Reconcile();
  EXPECT_EQ(api_.Count(kAttributions), 1U);
}

TEST_F(WorkloadControllerTest, MissingRightsAreToldAtTheWorkload) {
  api_.SetFault([](const std::string& verb, const std::string& resource, const std::string&) {
    if (verb == "create") {
      throw kube::ApiError(kube::ErrorReason::kForbidden, 403,
                           "create " + resource + ": 403 Forbidden");
    }
  });
  Reconcile();
  EXPECT_EQ(events_.last, "Forbidden: create attributions: 403 Forbidden");
  EXPECT_TRUE(result_.requeue_after.has_value());
}

TEST(AttributionNameTest, IsAlwaysAValidName) {
  EXPECT_EQ(AttributionName("j", "u", "a").size(), 1U + 1 + 10);
  EXPECT_EQ(AttributionName(std::string(63, 'a'), "u", "a").size(), 40U + 1 + 10);
  const std::string cut = AttributionName(std::string(39, 'a') + ".b", "u", "a");
  EXPECT_TRUE(cut.starts_with(std::string(39, 'a') + "-")) << cut;
  EXPECT_NE(AttributionName("j", "u", "a"), AttributionName("j", "u", "b"));
  EXPECT_NE(AttributionName("j", "u", "a"), AttributionName("j", "v", "a"));
  EXPECT_EQ(AttributionName("j", "u", "a"), AttributionName("j", "u", "a"));
}

}  // namespace
}  // namespace controllers
