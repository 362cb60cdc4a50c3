// SPDX-License-Identifier: Apache-2.0
// The kinds, over a real cache that is fed with recorded objects.
#include "controllers/workload/workload_kind.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "controllers/evidence/scripted_api.h"
#include "controllers/workload/job_kind.h"
#include "controllers/workload/kueue_workload_kind.h"
#include "controllers/workload/pod_projection.h"
#include "controllers/workload/recorded.h"

namespace controllers {
namespace {

using namespace std::chrono_literals;
using kube::Json;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class WorkloadKindTest : public testing::Test {
 public:
  ~WorkloadKindTest() override {
    stop_.request_stop();
    cache_->Stop();
  }

 protected:
  void Start() {
    cache_->Start(stop_.get_token());
    ASSERT_TRUE(cache_->WaitForSync(stop_.get_token(), 10s));
  }
  void PutPods(const char* name) {
    const Json list = Recorded(name);
    if (!list.contains("items")) return api_.Put(kPods, list);
    for (const Json& pod : list["items"]) api_.Put(kPods, pod);
  }
  static std::vector<std::string> Texts(const std::vector<StatusLine>& lines) {
    std::vector<std::string> texts;
    texts.reserve(lines.size());
    for (const StatusLine& line : lines) texts.push_back(line.text);
    return texts;
  }
  static std::vector<std::string> Names(const std::vector<kube::ObjectPtr>& objects) {
    std::vector<std::string> names;
    names.reserve(objects.size());
    for (const kube::ObjectPtr& object : objects) names.push_back(kube::NameOf(*object));
    return names;
  }

  ScriptedApi api_;
  std::unique_ptr<kube::Cache> cache_ = kube::NewCache(api_);
  std::stop_source stop_;
  std::unique_ptr<WorkloadKind> jobs_ = NewJobKind(*cache_, {});
  std::unique_ptr<WorkloadKind> workloads_ = NewKueueWorkloadKind(*cache_, {});
};

TEST_F(WorkloadKindTest, AFailedJob) {
  const Json job = Recorded("job-failed-backofflimit");
  PutPods("pod-failed-exit1");
  Start();
  const Attempt attempt = jobs_->CurrentAttempt(job);
  EXPECT_EQ(attempt.id, "2026-12-01T04:12:34Z");
  EXPECT_EQ(attempt.start_time, "2026-12-01T04:12:34Z");
  EXPECT_EQ(attempt.end_time, "2026-12-01T04:12:37Z");
  EXPECT_EQ(attempt.trigger, Trigger::kWorkloadFailed);
  EXPECT_EQ(attempt.outcome, engine::Outcome::kFailed);
  EXPECT_TRUE(attempt.terminal);
  EXPECT_FALSE(attempt.remote);
  EXPECT_TRUE(jobs_->IsTopLevel(job));
  EXPECT_EQ(jobs_->Pods(job).size(), 1U);
  EXPECT_THAT(Texts(jobs_->StatusLines(job)),
              ElementsAre("Job condition FailureTarget=True reason=BackoffLimitExceeded "
                          "message=\"Job has reached the specified backoff limit\"",
                          "Job condition Failed=True reason=BackoffLimitExceeded "
                          "message=\"Job has reached the specified backoff limit\""));
}

TEST_F(WorkloadKindTest, AFirstFailedPodIsReasonEnough) {
  Json job = Recorded("job-failed-indexed");
  job["status"].erase("conditions");
  PutPods("pods-failed-indexed");
  Start();
  const Attempt attempt = jobs_->CurrentAttempt(job);
  EXPECT_EQ(attempt.trigger, Trigger::kPodFailed);
  EXPECT_FALSE(attempt.terminal);
  EXPECT_EQ(attempt.outcome, engine::Outcome::kUnknown);
  const Json pod = Recorded("pods-failed-indexed")["items"][0];
  EXPECT_EQ(jobs_->OwnersOf(pod), (std::vector<kube::ObjectKey>{{"default", "fail-idx"}}));
}

TEST_F(WorkloadKindTest, FailureTargetIsFailedButNotOver) {
  Json job = Recorded("job-failed-backofflimit");
  job["status"]["conditions"].erase(1);
  Start();
  const Attempt attempt = jobs_->CurrentAttempt(job);
  EXPECT_EQ(attempt.trigger, Trigger::kWorkloadFailed);
  EXPECT_FALSE(attempt.terminal);
  EXPECT_EQ(attempt.end_time, "");
}

TEST_F(WorkloadKindTest, AJobThatGotThroughInTheEnd) {
  Json job = Recorded("job-failed-indexed");
  job["status"]["conditions"] = {{{"type", "Complete"}, {"status", "True"}}};
  job["status"]["completionTime"] = "2026-12-01T04:29:00Z";
  PutPods("pods-failed-indexed");
  Start();
  const Attempt attempt = jobs_->CurrentAttempt(job);
  EXPECT_EQ(attempt.outcome, engine::Outcome::kSucceeded);
  EXPECT_EQ(attempt.trigger, Trigger::kPodFailed) << "its retries are worth knowing";
  EXPECT_TRUE(attempt.terminal);
}

TEST_F(WorkloadKindTest, AJobThatSimplySucceeded) {
  Json job = Recorded("job-failed-indexed");
  job["status"]["conditions"] = {{{"type", "Complete"}, {"status", "True"}}};
  Start();
  EXPECT_FALSE(jobs_->CurrentAttempt(job).trigger.has_value());
}

TEST_F(WorkloadKindTest, PodsOfAnEarlierAttemptAreNotThisOnes) {
  Json job = Recorded("job-failed-indexed");
  job["status"]["startTime"] = "2026-12-01T06:00:00Z";  // suspended and resumed since
  job["status"].erase("conditions");
  PutPods("pods-failed-indexed");
  Start();
  EXPECT_THAT(jobs_->Pods(job), IsEmpty());
  EXPECT_FALSE(jobs_->CurrentAttempt(job).trigger.has_value());
}

TEST_F(WorkloadKindTest, ASuspendedJobHasNoAttempt) {
  Start();
  EXPECT_EQ(jobs_->CurrentAttempt(Recorded("job-kueue-preempted")).id, "");
}

TEST_F(WorkloadKindTest, PodsInAnotherCluster) {
  Json job = Recorded("job-failed-backofflimit");
  Start();
  job["spec"]["managedBy"] = "kueue.x-k8s.io/multikueue";
  EXPECT_TRUE(jobs_->CurrentAttempt(job).remote);
  job["spec"]["managedBy"] = "kubernetes.io/job-controller";
  EXPECT_FALSE(jobs_->CurrentAttempt(job).remote);
}

TEST_F(WorkloadKindTest, AJobUnderAWorkloadIsTheWorkloads) {
  const Json job = Recorded("job-kueue-failed");
  const Json workload = Recorded("workload-finished-jobfailed");
  api_.Put(kJobs, job);
  api_.Put(kKueueWorkloads, workload);
  Json pod = Recorded("pod-failed-exit1");
  pod["metadata"]["creationTimestamp"] = "2026-12-01T04:25:03Z";
  pod["metadata"]["ownerReferences"][0]["uid"] = kube::UidOf(job);
  pod["metadata"]["ownerReferences"][0]["name"] = kube::NameOf(job);
  api_.Put(kPods, pod);
  Start();
  EXPECT_FALSE(jobs_->IsTopLevel(job));
  EXPECT_TRUE(workloads_->IsTopLevel(workload));
  EXPECT_EQ(Names(workloads_->Pods(workload)), Names({std::make_shared<const Json>(pod)}));
  EXPECT_EQ(workloads_->OwnersOf(pod), (std::vector<kube::ObjectKey>{kube::KeyOf(workload)}));
  const Attempt attempt = workloads_->CurrentAttempt(workload);
  EXPECT_EQ(attempt.id, "evictions-0");
  EXPECT_EQ(attempt.trigger, Trigger::kWorkloadFailed);
  EXPECT_EQ(attempt.outcome, engine::Outcome::kFailed);
  EXPECT_TRUE(attempt.terminal);
  EXPECT_EQ(attempt.start_time, "2026-12-01T04:25:02Z");
  EXPECT_EQ(attempt.end_time, "2026-12-01T04:25:09Z");
  EXPECT_THAT(Texts(workloads_->StatusLines(workload)),
              Contains("Job condition Failed=True reason=BackoffLimitExceeded "
                       "message=\"Job has reached the specified backoff limit\""));
}

TEST_F(WorkloadKindTest, AFinishedWorkloadMayBeRemovedBeforeItsJob) {
  api_.Put(kKueueWorkloads, Recorded("workload-finished-success"));  // another's
  Start();
  EXPECT_FALSE(jobs_->IsTopLevel(Recorded("job-kueue-failed")));
}

TEST_F(WorkloadKindTest, AJobSpeaksForItselfWhereKueuesVersionIsNotServed) {
  Start();
  EXPECT_TRUE(jobs_->IsTopLevel(Recorded("job-kueue-failed")));
}

TEST_F(WorkloadKindTest, OrWhereWorkloadsMayNotBeRead) {
  api_.Put(kKueueWorkloads, Recorded("workload-finished-jobfailed"));
  api_.SetFault([](const std::string& verb, const std::string& resource, const std::string&) {
    if (resource == "workloads") {
      throw kube::ApiError(kube::ErrorReason::kForbidden, 403, verb + " workloads: 403 Forbidden");
    }
  });
  Start();
  EXPECT_TRUE(jobs_->IsTopLevel(Recorded("job-kueue-failed")));
}

TEST_F(WorkloadKindTest, WithoutKueueAQueueNameMeansNothing) {
  Json job = Recorded("job-failed-backofflimit");
  job["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] = "q";
  Start();
  EXPECT_TRUE(jobs_->IsTopLevel(job));
}

TEST_F(WorkloadKindTest, AWorkloadThatSucceeded) {
  Start();
  const Attempt attempt = workloads_->CurrentAttempt(Recorded("workload-finished-success"));
  EXPECT_EQ(attempt.outcome, engine::Outcome::kSucceeded);
  EXPECT_FALSE(attempt.trigger.has_value());
  EXPECT_TRUE(attempt.terminal);
}

TEST_F(WorkloadKindTest, OneAttemptThroughoutAPreemption) {
  Start();
  std::set<std::string> ids;
  std::vector<bool> evicted;
  Attempt last;
  for (const Json& workload : RecordedWatch("watch-workload-preempted")) {
    const Attempt attempt = workloads_->CurrentAttempt(workload);
    if (attempt.id.empty()) continue;
    ids.insert(attempt.id);
    evicted.push_back(attempt.trigger == Trigger::kEvicted);
    last = attempt;
  }
  EXPECT_THAT(ids, ElementsAre("evictions-0"));
  EXPECT_TRUE(std::is_sorted(evicted.begin(), evicted.end()));
  EXPECT_TRUE(evicted.back());
  EXPECT_TRUE(last.terminal);
  EXPECT_EQ(last.end_time, "2026-12-01T04:25:30Z");
  EXPECT_EQ(last.outcome, engine::Outcome::kUnknown);
}

TEST_F(WorkloadKindTest, AnotherAttemptAfterReadmission) {
  Start();
  std::vector<std::string> ids;
  for (const Json& workload : RecordedWatch("watch-workload-node-failure")) {
    const Attempt attempt = workloads_->CurrentAttempt(workload);
    if (ids.empty() || ids.back() != attempt.id) ids.push_back(attempt.id);
    if (attempt.id == "evictions-1") {
      EXPECT_EQ(attempt.start_time, "2026-12-01T04:27:46Z");
      EXPECT_FALSE(attempt.trigger.has_value());
      EXPECT_THAT(Texts(workloads_->StatusLines(workload)),
                  Not(Contains(HasSubstr("NodeFailures"))))
          << "that was the attempt before";
    }
  }
  EXPECT_THAT(ids, ElementsAre("evictions-0", "evictions-1"));
}

TEST_F(WorkloadKindTest, WhyAWorkloadWasEvicted) {
  Start();
  EXPECT_THAT(Texts(workloads_->StatusLines(Recorded("workload-evicted-preempted"))),
              Contains(HasSubstr("Workload condition Evicted=True reason=Preempted message=\""
                                 "Preempted to accommodate a workload (UID: c9cdf7c4")));
  EXPECT_THAT(Texts(workloads_->StatusLines(Recorded("workload-evicted-podsreadytimeout"))),
              Contains("Workload condition Evicted=True reason=PodsReadyTimeout "
                       "message=\"Exceeded the PodsReady timeout default/job-unready-71afc\""));
  EXPECT_THAT(Texts(workloads_->StatusLines(Recorded("workload-evicted-nodefailures"))),
              Contains(HasSubstr("Workload condition Evicted=True reason=NodeFailures message=\""
                                 "Workload was evicted as there was no replacement")));
}

TEST_F(WorkloadKindTest, WhichAttemptWasEvicted) {
  Start();
  for (const auto& [name, id] : {std::pair("workload-evicted-podsreadytimeout", "evictions-0"),
                                 std::pair("workload-evicted-nodefailures", "evictions-0"),
                                 std::pair("workload-deactivated-requeuinglimit", "evictions-1")}) {
    const Attempt attempt = workloads_->CurrentAttempt(Recorded(name));
    EXPECT_EQ(attempt.id, id) << name;
    EXPECT_EQ(attempt.trigger, Trigger::kEvicted) << name;
    EXPECT_FALSE(attempt.terminal) << name << ": its last pod is not gone";
  }
}

TEST_F(WorkloadKindTest, AWorkloadThatRuns) {
  Start();
  const Attempt attempt = workloads_->CurrentAttempt(Recorded("workload-admitted-running"));
  EXPECT_EQ(attempt.id, "evictions-0");
  EXPECT_EQ(attempt.start_time, "2026-12-01T04:25:01Z");
  EXPECT_FALSE(attempt.trigger.has_value());
  EXPECT_FALSE(attempt.terminal);
}

TEST_F(WorkloadKindTest, ResourcesByTemplate) {
  Start();
  EXPECT_THAT(jobs_->RequestedResources(Recorded("job-kueue-preempted")),
              ElementsAre("cpu", "nvidia.com/gpu"));
  EXPECT_THAT(workloads_->RequestedResources(Recorded("workload-evicted-preempted")),
              ElementsAre("cpu", "nvidia.com/gpu"));
}

TEST_F(WorkloadKindTest, WhatTheCacheKeepsIsEnough) {
  api_.Put(kJobs, Recorded("job-kueue-failed"));
  api_.Put(kKueueWorkloads, Recorded("workload-evicted-preempted"));
  Start();
  const kube::ObjectPtr job = jobs_->informer().Get({"default", "kq-fail"});
  ASSERT_TRUE(job);
  EXPECT_FALSE(jobs_->IsTopLevel(*job));
  EXPECT_EQ(jobs_->CurrentAttempt(*job).trigger, Trigger::kWorkloadFailed);
  EXPECT_THAT(jobs_->RequestedResources(*job), ElementsAre("cpu"));
  const kube::ObjectPtr workload = workloads_->informer().Get({"default", "job-lowjob-a0f6f"});
  ASSERT_TRUE(workload);
  EXPECT_EQ(workloads_->CurrentAttempt(*workload).id, "evictions-0");
  EXPECT_THAT(workloads_->RequestedResources(*workload), Contains("nvidia.com/gpu"));
}

}  // namespace
}  // namespace controllers
