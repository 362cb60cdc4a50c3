// SPDX-License-Identifier: Apache-2.0
#include "controllers/workload/attempt_pods.h"

#include <chrono>
#include <nlohmann/json.hpp>

#include "controllers/workload/pod_failure.h"
#include "engine/time.h"

namespace controllers {
namespace {

// Start and creation are stamped by two programs, perhaps on two machines.
constexpr std::chrono::seconds kClockSkew{5};

}  // namespace

std::vector<kube::ObjectPtr> SinceStart(std::vector<kube::ObjectPtr> pods,
                                        const std::string& start_time) {
  const auto start = engine::ParseRfc3339(start_time);
  if (!start) return pods;
  std::erase_if(pods, [&](const kube::ObjectPtr& pod) {
    const auto created = engine::ParseRfc3339(kube::StringAt(*pod, "/metadata/creationTimestamp"));
    return created && *created + kClockSkew < *start;
  });
  return pods;
}

std::optional<Trigger> TriggerOf(const std::vector<kube::ObjectPtr>& pods) {
  std::optional<Trigger> trigger;
  for (const kube::ObjectPtr& pod : pods) {
    const std::optional<PodFailure> failure = FirstFailure(*pod);
    if (!failure) continue;
    if (!failure->disrupted) return Trigger::kPodFailed;
    trigger = Trigger::kEvicted;
  }
  return trigger;
}

}  // namespace controllers
