// SPDX-License-Identifier: Apache-2.0
#include "controllers/workload/pod_failure.h"

#include <nlohmann/json.hpp>
#include <set>

#include "controllers/status/field.h"

namespace controllers {
namespace {

using kube::Json;

std::set<std::string> SidecarsOf(const Json& pod) {
  std::set<std::string> names;
  for (const Json& container : Field(pod, "/spec/initContainers")) {
    if (kube::StringAt(container, "/restartPolicy") == "Always") {
      names.insert(kube::StringAt(container, "/name"));
    }
  }
  return names;
}

// RFC 3339 in UTC with whole seconds, as the API server writes it, sorts by time.
void Earliest(std::optional<PodFailure>& first, const PodFailure& candidate) {
  if (!first || first->time.empty() || (!candidate.time.empty() && candidate.time < first->time)) {
    first = candidate;
  }
}

}  // namespace

bool IsFinished(const Json& pod) {
  const std::string phase = kube::StringAt(pod, "/status/phase");
  return phase == "Failed" || phase == "Succeeded";
}

std::optional<PodFailure> FirstFailure(const Json& pod) {
  for (const Json& condition : Field(pod, "/status/conditions")) {
    if (kube::StringAt(condition, "/type") == "DisruptionTarget" &&
        kube::StringAt(condition, "/status") == "True") {
      return PodFailure{{}, kube::StringAt(condition, "/lastTransitionTime"), true};
    }
  }
  const std::string phase = kube::StringAt(pod, "/status/phase");
  if (kube::IsBeingDeleted(pod) || phase == "Succeeded") return std::nullopt;
  const std::set<std::string> sidecars = SidecarsOf(pod);
  std::optional<PodFailure> first;
  for (const char* const list : {"/status/initContainerStatuses", "/status/containerStatuses"}) {
    for (const Json& status : Field(pod, list)) {
      const std::string name = kube::StringAt(status, "/name");
      if (sidecars.contains(name)) continue;
      for (const char* const state : {"/state/terminated", "/lastState/terminated"}) {
        const Json& ended = Field(status, state);
        if (IntegerField(ended, "/exitCode", 0) == 0) continue;
        Earliest(first, {name, kube::StringAt(ended, "/finishedAt"), false});
      }
    }
  }
  if (!first && phase == "Failed") first = PodFailure{};
  return first;
}

}  // namespace controllers
