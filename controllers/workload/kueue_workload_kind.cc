// SPDX-License-Identifier: Apache-2.0
#include "controllers/workload/kueue_workload_kind.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "controllers/evidence/lines.h"
#include "controllers/status/conditions.h"
#include "controllers/status/field.h"
#include "controllers/workload/attempt_pods.h"
#include "controllers/workload/job_kind.h"
#include "controllers/workload/owner.h"
#include "controllers/workload/pod_projection.h"
#include "controllers/workload/projection.h"

namespace controllers {
namespace {

using kube::Json;

Json ProjectWorkload(const Json& workload) {
  Json kept = KeepMetadata(workload);
  kept.update(KeepOnly(workload, {"/spec/active", "/spec/queueName", "/status/conditions",
                                  "/status/clusterName", "/status/schedulingStats"}));
  for (const Json& pod_set : Field(workload, "/spec/podSets")) {
    Json kept_set = KeepOnly(pod_set, {"/name", "/count"});
    const Json& pod_spec = Field(pod_set, "/template/spec");
    if (pod_spec.is_object()) kept_set["template"]["spec"] = KeepContainers(pod_spec);
    kept["spec"]["podSets"].push_back(std::move(kept_set));
  }
  return kept;
}

struct State {
  std::string status;
  std::string reason;
  std::string time;
};

State StateOf(const Json& workload, std::string_view type) {
  const Json* const condition = FindCondition(workload, type);
  if (condition == nullptr) return {};
  return {kube::StringAt(*condition, "/status"), kube::StringAt(*condition, "/reason"),
          kube::StringAt(*condition, "/lastTransitionTime")};
}

std::int64_t Evictions(const Json& workload) {
  std::int64_t count = 0;
  for (const Json& eviction : Field(workload, "/status/schedulingStats/evictions")) {
    count += IntegerField(eviction, "/count", 0);
  }
  return count;
}

// Within the second of a new admission Kueue also says why the one before ended.
bool TellsOfEarlierAttempt(const StatusLine& line) {
  return line.text.find("condition Requeued=") != std::string::npos ||
         line.text.find("message=\"Previously: ") != std::string::npos;
}

class KueueWorkloadKind final : public WorkloadKind {
 public:
  KueueWorkloadKind(kube::Cache& cache, const std::vector<std::string>& namespaces)
      : workloads_(KueueWorkloadInformer(cache, namespaces)),
        jobs_(JobInformer(cache, namespaces)),
        pods_(PodInformer(cache, namespaces)) {}

  const kube::Resource& resource() const override { return kKueueWorkloads; }
  kube::Informer& informer() override { return workloads_; }

  bool IsTopLevel(const Json& /*workload*/) const override { return true; }

  Attempt CurrentAttempt(const Json& workload) const override {
    const State admitted = StateOf(workload, "Admitted");
    const State evicted = StateOf(workload, "Evicted");
    const State finished = StateOf(workload, "Finished");
    const bool is_evicted = evicted.status == "True";
    Attempt attempt;
    if (admitted.status != "True" && !is_evicted) return attempt;
    // The eviction that ends this attempt is counted already, and the condition goes back to False
    // with the next reservation of quota.
    const std::int64_t before = Evictions(workload) - (is_evicted ? 1 : 0);
    attempt.id = "evictions-" + std::to_string(std::max<std::int64_t>(before, 0));
    if (admitted.status == "True") attempt.start_time = admitted.time;
    attempt.remote = IsRemote(workload);
    if (finished.status == "True") {
      attempt.terminal = true;
      attempt.end_time = finished.time;
      if (finished.reason == "Succeeded") {
        attempt.outcome = engine::Outcome::kSucceeded;
        attempt.trigger = TriggerOf(Pods(workload));
      } else if (finished.reason == "Failed") {
        attempt.outcome = engine::Outcome::kFailed;
        attempt.trigger = Trigger::kWorkloadFailed;
      }
      return attempt;
    }
    if (is_evicted) {
      attempt.trigger = Trigger::kEvicted;
      // Kueue gives the quota back when the last pod is gone.
      attempt.terminal = admitted.status != "True";
      if (attempt.terminal) attempt.end_time = admitted.time;
      return attempt;
    }
    attempt.trigger = TriggerOf(Pods(workload));
    return attempt;
  }

  std::vector<kube::ObjectPtr> Pods(const Json& workload) const override {
    std::vector<kube::ObjectPtr> pods = pods_.ByIndex(
        kPodsByKueueWorkload, kube::NamespaceOf(workload) + '/' + kube::NameOf(workload));
    for (const std::string& owner : OwnerUids(workload)) {
      AddControlledBy(owner, pods);
      for (const kube::ObjectPtr& job : jobs_.ByIndex(kJobsByController, owner)) {
        AddControlledBy(kube::UidOf(*job), pods);
      }
    }
    std::set<std::string> seen;
    std::erase_if(pods, [&](const kube::ObjectPtr& pod) {
      return kube::NamespaceOf(*pod) != kube::NamespaceOf(workload) ||
             !seen.insert(kube::UidOf(*pod)).second;
    });
    const State admitted = StateOf(workload, "Admitted");
    return SinceStart(std::move(pods), admitted.status == "True" ? admitted.time : std::string());
  }

  std::vector<kube::ObjectKey> OwnersOf(const Json& pod) const override {
    const std::string name_space = kube::NamespaceOf(pod);
    if (const std::string workload = kube::AnnotationOf(pod, kKueueWorkloadAnnotation);
        !workload.empty()) {
      return {{name_space, workload}};
    }
    const Owner owner = ControllerOf(pod);
    if (owner.uid.empty()) return {};
    std::vector<kube::ObjectKey> keys;
    const auto add_of = [&](const std::string& uid) {
      if (uid.empty()) return;
      for (const kube::ObjectPtr& workload : workloads_.ByIndex(kWorkloadsByOwner, uid)) {
        keys.push_back(kube::KeyOf(*workload));
      }
    };
    add_of(owner.uid);
    if (owner.kind == kJobs.kind) {
      const kube::ObjectPtr job = jobs_.Get({name_space, owner.name});
      if (job) add_of(ControllerOf(*job).uid);
    }
    return keys;
  }

  std::vector<StatusLine> StatusLines(const Json& workload) const override {
    const State admitted = StateOf(workload, "Admitted");
    std::vector<StatusLine> lines = ObjectConditionLines(
        kKueueWorkloads.kind, workload, admitted.status == "True" ? admitted.time : std::string());
    std::erase_if(lines, TellsOfEarlierAttempt);
    for (const kube::ObjectPtr& job : OwningJobs(workload)) {
      for (StatusLine& line : JobStatusLines(*job)) lines.push_back(std::move(line));
    }
    return lines;
  }

  std::vector<std::string> RequestedResources(const Json& workload) const override {
    std::set<std::string> names;
    for (const Json& pod_set : Field(workload, "/spec/podSets")) {
      for (std::string& name : controllers::RequestedResources(Field(pod_set, "/template/spec"))) {
        names.insert(std::move(name));
      }
    }
    return {names.begin(), names.end()};
  }

 private:
  void AddControlledBy(const std::string& uid, std::vector<kube::ObjectPtr>& pods) const {
    for (kube::ObjectPtr& pod : pods_.ByIndex(kPodsByController, uid)) {
      pods.push_back(std::move(pod));
    }
  }

  std::vector<kube::ObjectPtr> OwningJobs(const Json& workload) const {
    std::vector<kube::ObjectPtr> jobs;
    for (const Json& owner : Field(workload, "/metadata/ownerReferences")) {
      if (kube::StringAt(owner, "/kind") != kJobs.kind) continue;
      kube::ObjectPtr job =
          jobs_.Get({kube::NamespaceOf(workload), kube::StringAt(owner, "/name")});
      if (job && kube::UidOf(*job) == kube::StringAt(owner, "/uid")) jobs.push_back(std::move(job));
    }
    return jobs;
  }

  // MultiKueue has its pods in another cluster.
  bool IsRemote(const Json& workload) const {
    if (!kube::StringAt(workload, "/status/clusterName").empty()) return true;
    const std::vector<kube::ObjectPtr> jobs = OwningJobs(workload);
    return std::any_of(jobs.begin(), jobs.end(),
                       [](const kube::ObjectPtr& job) { return IsManagedElsewhere(*job); });
  }

  kube::Informer& workloads_;
  kube::Informer& jobs_;
  kube::Informer& pods_;
};

}  // namespace

kube::Informer& KueueWorkloadInformer(kube::Cache& cache,
                                      const std::vector<std::string>& namespaces) {
  kube::Informer& workloads = cache.InformerFor({.resource = kKueueWorkloads,
                                                 .namespaces = namespaces,
                                                 .label_selector = {},
                                                 .field_selector = {},
                                                 .projection = ProjectWorkload,
                                                 .optional = true});
  workloads.AddIndex(kWorkloadsByOwner, OwnerUids);
  return workloads;
}

std::unique_ptr<WorkloadKind> NewKueueWorkloadKind(kube::Cache& cache,
                                                   const std::vector<std::string>& namespaces) {
  return std::make_unique<KueueWorkloadKind>(cache, namespaces);
}

}  // namespace controllers
