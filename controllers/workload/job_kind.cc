// SPDX-License-Identifier: Apache-2.0
#include "controllers/workload/job_kind.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "controllers/evidence/lines.h"
#include "controllers/status/conditions.h"
#include "controllers/status/field.h"
#include "controllers/workload/attempt_pods.h"
#include "controllers/workload/kueue_workload_kind.h"
#include "controllers/workload/owner.h"
#include "controllers/workload/pod_projection.h"
#include "controllers/workload/projection.h"

namespace controllers {
namespace {

using kube::Json;

// The Job controller's own name; anything else in spec.managedBy runs the pods elsewhere.
constexpr char kJobController[] = "kubernetes.io/job-controller";
// Kueue writes it into the template when it starts a Job.
constexpr char kPodSetLabel[] = "kueue.x-k8s.io/podset";

Json ProjectJob(const Json& job) {
  Json kept = KeepMetadata(job);
  kept.update(KeepOnly(job, {"/spec/suspend", "/spec/managedBy", "/status/conditions",
                             "/status/startTime", "/status/completionTime"}));
  const Json& labels = Field(job, "/spec/template/metadata/labels");
  if (labels.is_object()) kept["spec"]["template"]["metadata"]["labels"] = labels;
  const Json& pod_spec = Field(job, "/spec/template/spec");
  if (pod_spec.is_object()) kept["spec"]["template"]["spec"] = KeepContainers(pod_spec);
  return kept;
}

bool IsTrue(const Json& job, std::string_view type) { return ConditionStatus(job, type) == "True"; }

std::string TransitionTime(const Json& job, std::string_view type) {
  const Json* const condition = FindCondition(job, type);
  return condition == nullptr ? std::string() : kube::StringAt(*condition, "/lastTransitionTime");
}

class JobKind final : public WorkloadKind {
 public:
  JobKind(kube::Cache& cache, const std::vector<std::string>& namespaces)
      : jobs_(JobInformer(cache, namespaces)),
        pods_(PodInformer(cache, namespaces)),
        workloads_(KueueWorkloadInformer(cache, namespaces)) {}

  const kube::Resource& resource() const override { return kJobs; }
  kube::Informer& informer() override { return jobs_; }

  bool IsTopLevel(const Json& job) const override {
    // A finished Workload may be removed before its Job (Kueue's objectRetentionPolicies): the
    // label in the template stays. Where Workloads can't be read nobody else speaks for the Job.
    if (Field(job, "/spec/template/metadata/labels").contains(kPodSetLabel) &&
        workloads_.IsReadable(kube::NamespaceOf(job))) {
      return false;
    }
    if (!workloads_.ByIndex(kWorkloadsByOwner, kube::UidOf(job)).empty()) return false;
    const Owner owner = ControllerOf(job);
    return owner.uid.empty() || workloads_.ByIndex(kWorkloadsByOwner, owner.uid).empty();
  }

  Attempt CurrentAttempt(const Json& job) const override {
    Attempt attempt;
    attempt.id = kube::StringAt(job, "/status/startTime");
    if (attempt.id.empty()) return attempt;
    attempt.start_time = attempt.id;
    attempt.remote = IsManagedElsewhere(job);
    if (IsTrue(job, "Complete") || IsTrue(job, "SuccessCriteriaMet")) {
      attempt.outcome = engine::Outcome::kSucceeded;
      attempt.terminal = IsTrue(job, "Complete");
      attempt.end_time = kube::StringAt(job, "/status/completionTime");
      // What went wrong on the way there: the retries that succeeded in the end.
      attempt.trigger = TriggerOf(Pods(job));
      return attempt;
    }
    if (IsTrue(job, "Failed") || IsTrue(job, "FailureTarget")) {
      attempt.outcome = engine::Outcome::kFailed;
      attempt.trigger = Trigger::kWorkloadFailed;
      attempt.terminal = IsTrue(job, "Failed");
      attempt.end_time = TransitionTime(job, "Failed");
      return attempt;
    }
    attempt.trigger = TriggerOf(Pods(job));
    return attempt;
  }

  std::vector<kube::ObjectPtr> Pods(const Json& job) const override {
    return SinceStart(pods_.ByIndex(kPodsByController, kube::UidOf(job)),
                      kube::StringAt(job, "/status/startTime"));
  }

  std::vector<kube::ObjectKey> OwnersOf(const Json& pod) const override {
    const Owner owner = ControllerOf(pod);
    if (owner.kind != kJobs.kind || owner.api_version != kJobs.ApiVersion()) return {};
    return {{kube::NamespaceOf(pod), owner.name}};
  }

  std::vector<StatusLine> StatusLines(const Json& job) const override {
    return JobStatusLines(job);
  }

  std::vector<std::string> RequestedResources(const Json& job) const override {
    return controllers::RequestedResources(Field(job, "/spec/template/spec"));
  }

 private:
  kube::Informer& jobs_;
  kube::Informer& pods_;
  kube::Informer& workloads_;  // empty where Kueue is not installed
};

}  // namespace

bool IsManagedElsewhere(const Json& job) {
  const std::string manager = kube::StringAt(job, "/spec/managedBy");
  return !manager.empty() && manager != kJobController;
}

std::vector<StatusLine> JobStatusLines(const Json& job) {
  return ObjectConditionLines(kJobs.kind, job, kube::StringAt(job, "/status/startTime"));
}

kube::Informer& JobInformer(kube::Cache& cache, const std::vector<std::string>& namespaces) {
  kube::Informer& jobs = cache.InformerFor({.resource = kJobs,
                                            .namespaces = namespaces,
                                            .label_selector = {},
                                            .field_selector = {},
                                            .projection = ProjectJob});
  jobs.AddIndex(kJobsByController, [](const Json& job) -> std::vector<std::string> {
    std::string uid = ControllerOf(job).uid;
    if (uid.empty()) return {};
    return {std::move(uid)};
  });
  return jobs;
}

std::unique_ptr<WorkloadKind> NewJobKind(kube::Cache& cache,
                                         const std::vector<std::string>& namespaces) {
  return std::make_unique<JobKind>(cache, namespaces);
}

}  // namespace controllers
