// SPDX-License-Identifier: Apache-2.0
#include "controllers/nodefault/node_action_policy_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "controllers/nodefault/node_action.h"
#include "controllers/nodefault/node_action_settings.h"
#include "controllers/nodefault/node_pool.h"
#include "controllers/status/conditions.h"
#include "controllers/status/resources.h"

namespace controllers {
namespace {

using kube::Json;

// Many nodes that change at once (a reboot of a rack) make one count.
constexpr std::chrono::seconds kCountDelay{1};

struct PoolCount {
  std::int64_t nodes = 0;
  std::int64_t unavailable = 0;
  std::int64_t tainted = 0;
};

PoolCount CountPool(const std::vector<kube::ObjectPtr>& nodes, const LabelSelector& selector) {
  std::vector<Json> pool;
  for (const kube::ObjectPtr& node : nodes) {
    if (selector.Matches(kube::LabelsOf(*node))) pool.push_back(*node);
  }
  const PoolStanding standing = StandingOf(pool, {});
  PoolCount count{.nodes = static_cast<std::int64_t>(standing.nodes.size()),
                  .unavailable = static_cast<std::int64_t>(standing.unavailable.size())};
  count.tainted = std::count_if(pool.begin(), pool.end(), [](const Json& node) {
    return HasTaint(node) && !TaintOwners(node).empty();
  });
  return count;
}

}  // namespace

NodeActionPolicyReconciler::NodeActionPolicyReconciler(kube::Client& client,
                                                       kube::Informer& policies,
                                                       kube::Informer& nodes,
                                                       NodeActionPolicyOptions options)
    : client_(client), policies_(policies), nodes_(nodes), options_(std::move(options)) {}

kube::Result NodeActionPolicyReconciler::Reconcile(const kube::Request& request,
                                                   std::stop_token stop) {
  const kube::ObjectPtr policy = policies_.Get(request);
  if (!policy || kube::IsBeingDeleted(*policy)) return {};
  const std::int64_t generation = kube::GenerationOf(*policy);
  const engine::Time now = options_.now();
  Json status = policy->value("status", Json::object());
  Json conditions = status.value("conditions", Json::array());
  std::string problem;
  if (const auto settings = ParseNodeActionPolicy(*policy, &problem)) {
    const PoolCount pool = CountPool(nodes_.List(), settings->node_selector);
    std::string message =
        fmt::format("{} of {} nodes: at most {} may be unavailable.",
                    settings->enforce ? "Enforced in a pool" : "A dry run in a pool", pool.nodes,
                    ResolveMaxUnavailable(settings->max_unavailable, pool.nodes).value_or(0));
    const std::vector<std::string> unknown = options_.unknown_symptoms(settings->symptoms);
    if (!unknown.empty()) {
      message += fmt::format(" No ruleset in force knows {}.", fmt::join(unknown, ", "));
    }
    SetCondition(conditions, {"Ready", "True", "Valid", message, generation}, now);
    SetCondition(conditions, {"Stalled", "False", "Valid", "", generation}, now);
    status["unavailable"] = pool.unavailable;
    status["tainted"] = pool.tainted;
  } else {
    const std::string message = fmt::format(
        "Not followed, and nothing is done to nodes that it "
        "could be meant for: {}.",
        problem);
    SetCondition(conditions, {"Ready", "False", "Invalid", message, generation}, now);
    SetCondition(conditions, {"Stalled", "True", "Invalid", message, generation}, now);
  }
  status["conditions"] = std::move(conditions);
  status["observedGeneration"] = generation;
  if (status == policy->value("status", Json::object())) return {};
  client_.Patch(kNodeActionPolicies, request,
                {{"metadata", {{"resourceVersion", kube::ResourceVersionOf(*policy)}}},
                 {"status", std::move(status)}},
                {.type = kube::PatchType::kMerge, .subresource = "status", .field_manager = {}},
                {.stop = stop});
  return {};
}

kube::Informer& NodeActionPolicyInformer(kube::Cache& cache) {
  return cache.InformerFor({.resource = kNodeActionPolicies,
                            .namespaces = {},
                            .label_selector = {},
                            .field_selector = {},
                            .projection = nullptr});
}

std::unique_ptr<kube::Reconciler> AddNodeActionPolicyController(kube::Manager& manager,
                                                                kube::Informer& nodes,
                                                                NodeActionPolicyOptions options) {
  kube::Informer& policies = NodeActionPolicyInformer(manager.cache());
  auto reconciler = std::make_unique<NodeActionPolicyReconciler>(manager.client(), policies, nodes,
                                                                 std::move(options));
  kube::Controller& controller =
      manager.AddController({.name = "node-action-policy", .queue = {}}, *reconciler);
  controller.Watch(policies, kube::MapToSelf, kube::GenerationChanged);
  // Delayed, so through a handler instead of a watch.
  const auto recount = [&controller, &policies] {
    for (const kube::ObjectPtr& policy : policies.List()) {
      controller.EnqueueAfter(kube::KeyOf(*policy), kCountDelay);
    }
  };
  nodes.AddEventHandler(
      {.on_add = [recount](const kube::ObjectPtr&, bool) { recount(); },
       .on_update =
           [recount](const kube::ObjectPtr& before, const kube::ObjectPtr& after) {
             if (!SameStanding(*before, *after)) recount();
           },
       .on_delete = [recount](const kube::ObjectPtr&, bool) { recount(); }});
  return reconciler;
}

}  // namespace controllers
