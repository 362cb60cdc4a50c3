// SPDX-License-Identifier: Apache-2.0
#include "controllers/nodefault/action_budget.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "controllers/status/conditions.h"

namespace controllers {
namespace {

using kube::Json;

constexpr std::chrono::hours kBudgetWindow{1};

bool ChangedLastHour(const Json& condition, engine::Time now) {
  const auto time = engine::ParseRfc3339(kube::StringAt(condition, "/lastTransitionTime"));
  return time && now - *time < kBudgetWindow;
}

}  // namespace

std::int64_t ActedLastHour(const std::vector<Json>& faults, const PoolStanding& pool,
                           const std::vector<Json>& nodes, engine::Time now) {
  const auto in_pool = [&](const std::string& name) {
    return std::binary_search(pool.nodes.begin(), pool.nodes.end(), name);
  };
  std::int64_t acted = 0;
  std::set<std::string> counted;
  for (const Json& fault : faults) {
    const std::string node = kube::StringAt(fault, "/spec/nodeName");
    const Json* const tainted = FindCondition(fault, "Tainted");
    if (!in_pool(node) || tainted == nullptr) continue;
    const bool was_tainted = kube::StringAt(*tainted, "/status") == "True" ||
                             kube::StringAt(*tainted, "/reason") == "Released";
    if (!was_tainted || !ChangedLastHour(*tainted, now)) continue;
    ++acted;
    counted.insert(node);
  }
  for (const Json& node : nodes) {
    const std::string name = kube::NameOf(node);
    const Json* const condition = FindCondition(node, kConditionType);
    if (!in_pool(name) || counted.contains(name) || condition == nullptr) continue;
    if (ChangedLastHour(*condition, now)) ++acted;
  }
  return acted;
}

}  // namespace controllers
