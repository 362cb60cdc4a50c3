// SPDX-License-Identifier: Apache-2.0
#include "controllers/attribution/workload_view.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "controllers/policy/accelerators.h"
#include "controllers/status/field.h"
#include "controllers/workload/projection.h"
#include "engine/time.h"

namespace controllers {
namespace {

using kube::Json;
using Counts = std::map<std::string, std::int64_t>;  // by accelerator resource

Counts AcceleratorsIn(const Json& resources) {
  Counts counts;
  for (const auto& [name, quantity] : resources.items()) {
    const std::int64_t number = WholeNumber(quantity);
    if (number > 0 && IsAcceleratorResource(name)) counts[name] += number;
  }
  return counts;
}

Counts RequestsOf(const Json& pod) {
  Counts counts;
  for (const Json& container : Field(pod, "/spec/containers")) {
    for (const auto& [name, number] : AcceleratorsIn(Field(container, "/resources/limits"))) {
      counts[name] += number;
    }
  }
  return counts;
}

struct PodStay {
  Counts requests;
  engine::Time start;
  engine::Time end;
};

std::optional<PodStay> StayOf(const Json& pod) {
  const auto start = engine::ParseRfc3339(kube::StringAt(pod, "/status/startTime"));
  if (!start) return std::nullopt;
  PodStay stay{RequestsOf(pod), *start, engine::Time::max()};
  const std::string phase = kube::StringAt(pod, "/status/phase");
  if (phase == "Failed" || phase == "Succeeded") {
    stay.end = *start;
    for (const Json& container : Field(pod, "/status/containerStatuses")) {
      const auto finished =
          engine::ParseRfc3339(kube::StringAt(container, "/state/terminated/finishedAt"));
      if (finished) stay.end = std::max(stay.end, *finished);
    }
  }
  return stay;
}

// Whether at the start of one of the stays those that were there together held all of `capacity`.
bool HeldAll(const std::vector<PodStay>& stays, const Counts& capacity) {
  if (capacity.empty()) return false;
  return std::any_of(stays.begin(), stays.end(), [&](const PodStay& moment) {
    Counts held;
    for (const PodStay& stay : stays) {
      if (stay.start > moment.start || stay.end <= moment.start) continue;
      for (const auto& [name, number] : stay.requests) held[name] += number;
    }
    return std::all_of(capacity.begin(), capacity.end(), [&](const auto& resource) {
      return held[resource.first] >= resource.second;
    });
  });
}

}  // namespace

void AddPods(const std::vector<kube::ObjectPtr>& pods,
             const std::function<kube::ObjectPtr(const std::string&)>& node_of,
             WorkloadNodes& view) {
  std::map<std::string, std::vector<PodStay>> stays;
  for (const kube::ObjectPtr& pod : pods) {
    const std::string node = kube::StringAt(*pod, "/spec/nodeName");
    if (node.empty()) continue;
    view.nodes.insert(node);
    auto stay = StayOf(*pod);
    if (!stay) continue;
    engine::Stay& known = view.stays[kube::UidOf(*pod)];
    known = {node, stay->start, std::nullopt};
    // A pod that was evicted or failed before it ran may tell no container's end.
    if (stay->end != engine::Time::max() && stay->end != stay->start) known.to = stay->end;
    stays[node].push_back(*std::move(stay));
  }
  for (const auto& [name, on_node] : stays) {
    if (view.exclusive.contains(name)) continue;
    const kube::ObjectPtr node = node_of(name);
    if (node && HeldAll(on_node, AcceleratorsIn(Field(*node, "/status/capacity")))) {
      view.exclusive.insert(name);
    }
  }
}

std::vector<engine::Stay> StaysOf(const WorkloadNodes& view) {
  std::vector<engine::Stay> stays;
  std::transform(view.stays.begin(), view.stays.end(), std::back_inserter(stays),
                 [](const auto& entry) { return entry.second; });
  return stays;
}

}  // namespace controllers
