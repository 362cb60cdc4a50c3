// SPDX-License-Identifier: Apache-2.0
#include "controllers/attribution/fault_history.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "controllers/status/field.h"

namespace controllers {
namespace {

using engine::NodeActivity;
using kube::Json;

// Ready turning True this soon after the node joined is its first start, not a reboot.
constexpr std::chrono::minutes kJoining{10};
constexpr std::size_t kActivitiesPerNode = 8;

std::optional<engine::Time> TimeAt(const Json& object, const std::string& pointer) {
  return engine::ParseRfc3339(kube::StringAt(object, pointer));
}

std::optional<engine::PastSymptom> FromAttribution(const Json& attribution) {
  if (!IsProven(attribution)) return std::nullopt;
  const auto time = TimeAt(attribution, "/status/root/time");
  if (!time) return std::nullopt;
  return engine::PastSymptom{
      .symptom = kube::StringAt(attribution, "/status/verdict/symptom"),
      .node = kube::StringAt(attribution, "/status/verdict/culprit/node"),
      .gpu_uuid = kube::StringAt(attribution, "/status/verdict/culprit/gpuUUID"),
      .pci_address = kube::StringAt(attribution, "/status/verdict/culprit/pciAddress"),
      .pool = {},
      .tenant = {},
      .time = *time};
}

bool LabelSays(const Json& node, const char* label, const std::vector<std::string_view>& idle) {
  const std::string value = kube::LabelOf(node, label);
  return !value.empty() && std::find(idle.begin(), idle.end(), value) == idle.end();
}

bool IsUpgrading(const Json& node) {
  return LabelSays(node, "nvidia.com/gpu-driver-upgrade-state", {"upgrade-done", "upgrade-failed"});
}

bool IsChangingMig(const Json& node) {
  return LabelSays(node, "nvidia.com/mig.config.state", {"success", "failed"});
}

bool IsCordoned(const Json& node) {
  const Json& value = Field(node, "/spec/unschedulable");
  return value.is_boolean() && value.get<bool>();
}

// When Ready last turned True.
std::optional<engine::Time> ReadySince(const Json& node) {
  for (const Json& condition : Field(node, "/status/conditions")) {
    if (kube::StringAt(condition, "/type") == "Ready" &&
        kube::StringAt(condition, "/status") == "True") {
      return TimeAt(condition, "/lastTransitionTime");
    }
  }
  return std::nullopt;
}

// The time at which the cordon was put there, where the taint that comes with it says so.
std::optional<engine::Time> CordonedAt(const Json& node) {
  for (const Json& taint : Field(node, "/spec/taints")) {
    if (kube::StringAt(taint, "/key") == "node.kubernetes.io/unschedulable") {
      return TimeAt(taint, "/timeAdded");
    }
  }
  return std::nullopt;
}

}  // namespace

bool IsProven(const Json& attribution) {
  return kube::StringAt(attribution, "/status/origin") == "Operator" &&
         kube::StringAt(attribution, "/status/root/trust") == "Node" &&
         kube::StringAt(attribution, "/status/verdict/result") == "Failed" &&
         !kube::StringAt(attribution, "/status/verdict/symptom").empty() &&
         !kube::StringAt(attribution, "/status/verdict/culprit/node").empty();
}

engine::History HistoryOf(const std::vector<kube::ObjectPtr>& attributions,
                          const std::vector<kube::ObjectPtr>& faults, const std::string& own_uid,
                          const std::function<std::string(const std::string&)>& tenant_of,
                          engine::Time now, std::chrono::seconds horizon) {
  engine::History history;
  std::set<std::string> counted{own_uid};
  for (const kube::ObjectPtr& attribution : attributions) {
    if (counted.contains(kube::UidOf(*attribution))) continue;
    auto past = FromAttribution(*attribution);
    if (!past || now - past->time > horizon) continue;
    counted.insert(kube::UidOf(*attribution));
    past->tenant = tenant_of(kube::NamespaceOf(*attribution));
    history.symptoms.push_back(*std::move(past));
  }
  // Faults outlive the Attributions that reported them. Of those only the fault's last time is
  // known.
  for (const kube::ObjectPtr& fault : faults) {
    const auto last = TimeAt(*fault, "/status/lastTime");
    if (!last || now - *last > horizon) continue;
    for (const Json& entry : Field(*fault, "/status/attributions")) {
      if (!counted.insert(kube::StringAt(entry, "/uid")).second) continue;
      history.symptoms.push_back({.symptom = kube::StringAt(*fault, "/spec/symptom"),
                                  .node = kube::StringAt(*fault, "/spec/nodeName"),
                                  .gpu_uuid = kube::StringAt(*fault, "/spec/device/uuid"),
                                  .pci_address = kube::StringAt(*fault, "/spec/device/pciAddress"),
                                  .pool = {},
                                  .tenant = tenant_of(kube::StringAt(entry, "/namespace")),
                                  .time = *last});
    }
  }
  std::sort(history.symptoms.begin(), history.symptoms.end(),
            [](const engine::PastSymptom& a, const engine::PastSymptom& b) {
              return std::tie(a.time, a.node, a.symptom, a.gpu_uuid, a.tenant) <
                     std::tie(b.time, b.node, b.symptom, b.gpu_uuid, b.tenant);
            });
  return history;
}

void NodeActivityLog::Observe(const Json* before, const Json& after, engine::Time now) {
  const std::string node = kube::NameOf(after);
  if (before == nullptr) Forget(now);
  const std::string boot = kube::StringAt(after, "/status/nodeInfo/bootID");
  const std::string boot_before =
      before == nullptr ? std::string() : kube::StringAt(*before, "/status/nodeInfo/bootID");
  if (!boot_before.empty() && !boot.empty() && boot != boot_before) {
    Add(NodeActivity::Kind::kBoot, node, now);
  }
  const auto ready = ReadySince(after);
  const auto joined = TimeAt(after, "/metadata/creationTimestamp");
  if (ready && joined && *ready - *joined > kJoining &&
      (before == nullptr || ReadySince(*before) != ready)) {
    Add(NodeActivity::Kind::kBoot, node, *ready);
  }
  if (IsCordoned(after) && (before == nullptr || !IsCordoned(*before))) {
    Add(NodeActivity::Kind::kMaintenance, node, CordonedAt(after).value_or(now));
  }
  if (IsUpgrading(after) && (before == nullptr || !IsUpgrading(*before))) {
    Add(NodeActivity::Kind::kDriverUpgrade, node, now);
  }
  if (IsChangingMig(after) && (before == nullptr || !IsChangingMig(*before))) {
    Add(NodeActivity::Kind::kMigChange, node, now);
  }
}

void NodeActivityLog::Forget(engine::Time now) {
  const std::lock_guard lock(mutex_);
  std::erase_if(by_node_, [&](const auto& entry) {
    return std::all_of(entry.second.begin(), entry.second.end(), [&](const NodeActivity& activity) {
      return now - activity.time > kHistoryHorizon;
    });
  });
}

void NodeActivityLog::Add(NodeActivity::Kind kind, const std::string& node, engine::Time time) {
  const std::lock_guard lock(mutex_);
  auto& activities = by_node_[node];
  activities.push_back({kind, node, time});
  if (activities.size() > kActivitiesPerNode) activities.erase(activities.begin());
}

std::vector<NodeActivity> NodeActivityLog::Since(engine::Time from) const {
  std::vector<NodeActivity> result;
  const std::lock_guard lock(mutex_);
  for (const auto& [node, activities] : by_node_) {
    std::copy_if(activities.begin(), activities.end(), std::back_inserter(result),
                 [&](const NodeActivity& activity) { return activity.time >= from; });
  }
  return result;
}

}  // namespace controllers
