// SPDX-License-Identifier: Apache-2.0
#include "controllers/nodefault/node_pool.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

#include "controllers/evidence/node_conditions.h"
#include "controllers/policy/accelerators.h"
#include "controllers/status/field.h"

namespace controllers {
namespace {

using kube::Json;

bool IsReady(const Json& node) {
  for (const Json& condition : Field(node, "/status/conditions")) {
    if (kube::StringAt(condition, "/type") == "Ready") {
      return kube::StringAt(condition, "/status") == "True";
    }
  }
  return false;
}

// Taints that keep pods away, by key and effect; ours is meant to, whatever its effect.
std::vector<std::string> RepellingTaints(const Json& node) {
  std::vector<std::string> taints;
  for (const Json& taint : Field(node, "/spec/taints")) {
    const std::string effect = kube::StringAt(taint, "/effect");
    const std::string key = kube::StringAt(taint, "/key");
    const bool repels = effect == "NoSchedule" || effect == "NoExecute" || key == kTaintKey;
    if (repels && !IsAcceleratorResource(key)) {
      taints.push_back(key + ":" + effect);
    }
  }
  std::sort(taints.begin(), taints.end());
  taints.erase(std::unique(taints.begin(), taints.end()), taints.end());
  return taints;
}

// Keys that always mean trouble, however many nodes carry them.
bool IsTrouble(std::string_view taint) {
  return taint.starts_with(kTaintKey) || taint.starts_with("node.kubernetes.io/") ||
         taint.starts_with("node.cloudprovider.kubernetes.io/");
}

}  // namespace

bool HasTaint(const Json& node) {
  const Json& taints = Field(node, "/spec/taints");
  return std::any_of(taints.begin(), taints.end(),
                     [](const Json& taint) { return kube::StringAt(taint, "/key") == kTaintKey; });
}

std::vector<std::string> TaintOwners(const Json& node) {
  const std::string names = kube::AnnotationOf(node, kTaintAnnotation);
  std::vector<std::string> owners;
  for (std::size_t begin = 0; begin < names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    if (end > begin) owners.push_back(names.substr(begin, end - begin));
    begin = end + 1;
  }
  std::sort(owners.begin(), owners.end());
  owners.erase(std::unique(owners.begin(), owners.end()), owners.end());
  return owners;
}

bool IsAcceleratorNode(const Json& node) {
  for (const char* list : {"/status/capacity", "/status/allocatable"}) {
    for (const auto& [name, quantity] : Field(node, list).items()) {
      if (IsAcceleratorResource(name)) return true;
    }
  }
  const std::string present = kube::LabelOf(node, "nvidia.com/gpu.present");
  return present == "true" || !kube::LabelOf(node, "cloud.google.com/gke-accelerator").empty();
}

bool SameStanding(const Json& before, const Json& after) {
  const auto condition = [](const Json& node, std::string_view type) -> const Json& {
    for (const Json& entry : Field(node, "/status/conditions")) {
      if (kube::StringAt(entry, "/type") == type) return Field(entry, "/status");
    }
    return Field(node, "/status/absent");
  };
  return kube::LabelsOf(before) == kube::LabelsOf(after) &&
         kube::AnnotationOf(before, kTaintAnnotation) ==
             kube::AnnotationOf(after, kTaintAnnotation) &&
         Field(before, "/spec/taints") == Field(after, "/spec/taints") &&
         Field(before, "/spec/unschedulable") == Field(after, "/spec/unschedulable") &&
         IsReady(before) == IsReady(after) && BootIdOf(before) == BootIdOf(after) &&
         condition(before, kConditionType) == condition(after, kConditionType);
}

PoolStanding StandingOf(const std::vector<Json>& nodes, const std::string& always) {
  std::vector<const Json*> pool;
  std::map<std::string, std::size_t> carriers;
  for (const Json& node : nodes) {
    if (kube::NameOf(node) != always && !IsAcceleratorNode(node)) continue;
    pool.push_back(&node);
    for (const std::string& taint : RepellingTaints(node)) ++carriers[taint];
  }
  PoolStanding standing;
  for (const Json* node : pool) {
    const std::string name = kube::NameOf(*node);
    standing.nodes.push_back(name);
    const Json& cordoned = Field(*node, "/spec/unschedulable");
    bool unavailable = !IsReady(*node) || (cordoned.is_boolean() && cordoned.get<bool>());
    for (const std::string& taint : RepellingTaints(*node)) {
      unavailable = unavailable || IsTrouble(taint) || carriers[taint] < pool.size();
    }
    if (unavailable) standing.unavailable.push_back(name);
  }
  std::sort(standing.nodes.begin(), standing.nodes.end());
  std::sort(standing.unavailable.begin(), standing.unavailable.end());
  return standing;
}

}  // namespace controllers
