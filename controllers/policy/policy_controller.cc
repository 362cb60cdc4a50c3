// SPDX-License-Identifier: Apache-2.0
#include "controllers/policy/policy_controller.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "controllers/status/conditions.h"
#include "controllers/status/field.h"
#include "controllers/status/resources.h"
#include "crds/fields.h"

namespace controllers {
namespace {

using kube::Json;

// Reads the policy into `spec`; the problem, empty when there is none. `readable` (may be null) is
// set to false if `spec` is not what the policy says.
std::string Read(const Json& policy, crds::AttributionPolicySpec& spec, bool* readable) {
  try {
    crds::FromJson(Field(policy, "/spec"), spec, "spec");
    return ProblemOf(spec);
  } catch (const crds::FieldError& error) {
    if (readable != nullptr) *readable = false;
    return error.what();
  }
}

}  // namespace

void FollowPolicies(kube::Informer& policies, PolicyStore& store) {
  const auto put = [&store](const Json& policy) {
    crds::AttributionPolicySpec spec;
    bool readable = true;
    const std::string problem = Read(policy, spec, &readable);
    if (problem.empty()) {
      store.Put(kube::NameOf(policy), std::move(spec));
    } else {
      store.PutBroken(kube::NameOf(policy), readable ? std::optional(spec) : std::nullopt);
    }
  };
  policies.AddEventHandler(
      {.on_add = [put](const kube::ObjectPtr& policy, bool /*initial*/) { put(*policy); },
       .on_update = [put](const kube::ObjectPtr& /*before*/,
                          const kube::ObjectPtr& policy) { put(*policy); },
       .on_delete = [&store](
                        const kube::ObjectPtr& policy,
                        bool /*final_state_unknown*/) { store.Remove(kube::NameOf(*policy)); }});
}

PolicyReconciler::PolicyReconciler(kube::Client& client, kube::Informer& policies,
                                   kube::EventRecorder& events, std::function<engine::Time()> now)
    : client_(client), policies_(policies), events_(events), now_(std::move(now)) {}

kube::Result PolicyReconciler::Reconcile(const kube::Request& request, std::stop_token stop) {
  const kube::ObjectPtr policy = policies_.Get(request);
  if (!policy || kube::IsBeingDeleted(*policy)) return {};
  crds::AttributionPolicySpec spec;
  const std::string problem = Read(*policy, spec, nullptr);
  const std::int64_t generation = kube::GenerationOf(*policy);
  const engine::Time now = now_();
  Json status = policy->value("status", Json::object());
  Json& conditions = status["conditions"];
  bool changed = false;
  if (problem.empty()) {
    changed = SetCondition(conditions, {"Ready", "True", "Valid", "In force.", generation}, now);
    changed =
        SetCondition(conditions, {"Stalled", "False", "Valid", "", generation}, now) || changed;
  } else {
    const std::string message = fmt::format(
        "Not followed: {}. Its last valid version stays in force; where there is none, "
        "workloads that it could be for make no NodeFaults.",
        problem);
    changed = SetCondition(conditions, {"Ready", "False", "Invalid", message, generation}, now);
    changed = SetCondition(conditions, {"Stalled", "True", "Invalid", message, generation}, now) ||
              changed;
  }
  if (!changed) return {};
  status["observedGeneration"] = generation;
  client_.Patch(kAttributionPolicies, request,
                {{"metadata", {{"resourceVersion", kube::ResourceVersionOf(*policy)}}},
                 {"status", std::move(status)}},
                {.type = kube::PatchType::kMerge, .subresource = "status"}, {.stop = stop});
  if (!problem.empty()) {
    events_.Event(Regarding(kAttributionPolicies, *policy), kube::EventType::kWarning, "Invalid",
                  "Check", problem);
  }
  return {};
}

std::unique_ptr<kube::Reconciler> AddPolicyController(kube::Manager& manager, PolicyStore& store,
                                                      std::function<engine::Time()> now) {
  kube::Informer& policies = manager.cache().InformerFor({.resource = kAttributionPolicies});
  FollowPolicies(policies, store);
  auto reconciler = std::make_unique<PolicyReconciler>(manager.client(), policies, manager.events(),
                                                       std::move(now));
  manager.AddController({.name = "attribution-policy"}, *reconciler)
      .Watch(policies, kube::MapToSelf, kube::GenerationChanged);
  return reconciler;
}

}  // namespace controllers
