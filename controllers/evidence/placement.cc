// SPDX-License-Identifier: Apache-2.0
#include "controllers/evidence/placement.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "controllers/status/field.h"
#include "controllers/workload/owner.h"
#include "controllers/workload/pod_failure.h"
#include "controllers/workload/projection.h"
#include "engine/time.h"

namespace controllers {
namespace {

using kube::Json;

constexpr std::array<const char*, 2> kQueueLabels = {"kueue.x-k8s.io/local-queue-name",
                                                     "kueue.x-k8s.io/queue-name"};
// Labels that the operators of frameworks put on their pods.
constexpr std::array<std::pair<const char*, const char*>, 4> kFrameworks = {{
    {"jobset.sigs.k8s.io/jobset-name", "JobSet"},
    {"training.kubeflow.org/job-name", "Kubeflow"},
    {"ray.io/cluster", "Ray"},
    {"leaderworkerset.sigs.k8s.io/name", "LeaderWorkerSet"},
}};

// A change of how much is held.
struct Step {
  engine::Time time;
  std::int64_t pods = 0;
  std::int64_t accelerators = 0;
};

engine::Time StartOf(const Json& pod) {
  for (const char* const pointer : {"/status/startTime", "/metadata/creationTimestamp"}) {
    if (const auto time = engine::ParseRfc3339(kube::StringAt(pod, pointer))) return *time;
  }
  return engine::Time::min();
}

engine::Time EndOf(const Json& pod, engine::Time start) {
  if (!IsFinished(pod)) return engine::Time::max();
  engine::Time end = start;
  for (const Json& status : Field(pod, "/status/containerStatuses")) {
    const auto ended = engine::ParseRfc3339(kube::StringAt(status, "/state/terminated/finishedAt"));
    if (ended) end = std::max(end, *ended);
  }
  return end;
}

std::string FrameworkOf(const Json& pod) {
  for (const auto& [label, name] : kFrameworks) {
    if (!kube::LabelOf(pod, label).empty()) return name;
  }
  return ControllerOf(pod).kind;
}

}  // namespace

Placement PlacementOf(const std::vector<kube::ObjectPtr>& pods) {
  Placement placement;
  std::set<std::string> nodes;
  std::vector<Step> steps;
  for (const kube::ObjectPtr& pod : pods) {
    const std::string node = kube::StringAt(*pod, "/spec/nodeName");
    if (!node.empty()) nodes.insert(node);
    const std::int64_t accelerators = AcceleratorsRequested(Field(*pod, "/spec"));
    const engine::Time start = StartOf(*pod);
    steps.push_back({start, 1, accelerators});
    steps.push_back({EndOf(*pod, start), -1, -accelerators});
    for (const char* const label : kQueueLabels) {
      if (placement.queue.empty()) placement.queue = kube::LabelOf(*pod, label);
    }
    if (placement.framework.empty()) placement.framework = FrameworkOf(*pod);
  }
  // What ends in a second in which another starts counts with it: times are in whole seconds, and
  // a pod that ends as soon as it starts was there all the same.
  std::sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) {
    return std::pair(a.time, -a.pods) < std::pair(b.time, -b.pods);
  });
  std::int64_t now_pods = 0;
  std::int64_t now_accelerators = 0;
  for (const Step& step : steps) {
    now_pods += step.pods;
    now_accelerators += step.accelerators;
    if (std::pair(now_accelerators, now_pods) > std::pair(placement.gpus, placement.pods)) {
      placement.gpus = now_accelerators;
      placement.pods = now_pods;
    }
  }
  placement.nodes = static_cast<std::int64_t>(nodes.size());
  return placement;
}

}  // namespace controllers
