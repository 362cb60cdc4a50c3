// SPDX-License-Identifier: Apache-2.0
#include "controllers/workload/workload_controller.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "controllers/status/field.h"
#include "controllers/status/resources.h"
#include "controllers/workload/attribution_request.h"
#include "controllers/workload/pod_failure.h"

namespace controllers {
namespace {

using kube::Json;

constexpr char kOperator[] = "Operator";
constexpr int kWorkers = 4;
constexpr std::chrono::minutes kForbiddenRetry{1};

std::string_view NameOf(Trigger trigger) {
  switch (trigger) {
    case Trigger::kWorkloadFailed:
      return "WorkloadFailed";
    case Trigger::kPodFailed:
      return "PodFailed";
    case Trigger::kEvicted:
      return "Evicted";
  }
  return "";
}

bool Wants(const AppliedPolicy& policy, Trigger trigger) {
  const auto& triggers = policy.spec.triggers;
  return std::find(triggers.begin(), triggers.end(), NameOf(trigger)) != triggers.end();
}

std::string OriginOf(const Json& attribution) {
  return kube::StringAt(attribution, "/status/origin");
}

}  // namespace

WorkloadReconciler::WorkloadReconciler(WorkloadKind& kind, WorkloadInputs inputs)
    : kind_(kind), in_(std::move(inputs)) {}

kube::Result WorkloadReconciler::Reconcile(const kube::Request& request, std::stop_token stop) {
  const kube::ObjectPtr workload = kind_.informer().Get(request);
  if (!workload || kube::IsBeingDeleted(*workload) || !kind_.IsTopLevel(*workload)) return {};
  const Attempt attempt = kind_.CurrentAttempt(*workload);
  if (attempt.id.empty() || !attempt.trigger) return {};
  const std::optional<AppliedPolicy> policy = in_.policy_for(kind_, *workload);
  if (!policy || !Wants(*policy, *attempt.trigger)) return {};

  const Json wanted = AttributionFor(kind_, *workload, attempt);
  const kube::ObjectPtr known = in_.attributions.Get(kube::KeyOf(wanted));
  if (known && OriginOf(*known) == kOperator) return {};
  if (known && !OriginOf(*known).empty()) {
    TellNameTaken(*workload, *known);
    return {};
  }
  const kube::CallOptions call{.stop = stop};
  try {
    // The cache may not have seen yet what was claimed a moment ago: ask, rather than write twice.
    const Json live =
        known ? in_.client.Get(kAttributions, kube::KeyOf(wanted), call) : Ensure(wanted, call);
    if (!ClaimOrigin(wanted, live, call)) TellNameTaken(*workload, live);
  } catch (const kube::ApiError& error) {
    if (!error.IsForbidden()) throw;
    // Where a person looks for it: at the workload.
    in_.events.Event(Regarding(kind_.resource(), *workload), kube::EventType::kWarning, "Forbidden",
                     "Attribute", error.what());
    return {.requeue_after = kForbiddenRetry};
  }
  return {};
}

Json WorkloadReconciler::Ensure(const Json& wanted, const kube::CallOptions& call) {
  try {
    Json created = in_.client.Create(kAttributions, wanted, call);
    in_.metrics.Count("attribution_created_total", "Attributions made, by kind of workload.",
                      {{"kind", kind_.resource().kind}});
    return created;
  } catch (const kube::ApiError& error) {
    if (!error.IsAlreadyExists()) throw;
    return in_.client.Get(kAttributions, kube::KeyOf(wanted), call);
  }
}

bool WorkloadReconciler::ClaimOrigin(const Json& wanted, const Json& live,
                                     const kube::CallOptions& call) {
  // Anybody may have made an object of that name: what asks for something else (a window, other
  // rules) is a request.
  if (!OriginOf(live).empty()) return OriginOf(live) == kOperator;
  if (Field(live, "/spec") != wanted.at("spec")) return false;
  // With the resourceVersion as a precondition: a conflict comes back here and looks again.
  in_.client.Patch(kAttributions, kube::KeyOf(wanted),
                   {{"metadata", {{"resourceVersion", kube::ResourceVersionOf(live)}}},
                    {"status", {{"origin", kOperator}}}},
                   {.type = kube::PatchType::kMerge, .subresource = "status", .field_manager = {}},
                   call);
  return true;
}

void WorkloadReconciler::TellNameTaken(const Json& workload, const Json& taken) {
  in_.events.Event(Regarding(kind_.resource(), workload), kube::EventType::kWarning, "NameTaken",
                   "Attribute",
                   "Attribution " + kube::NameOf(taken) +
                       " was made by somebody else. It is answered as a request, and no NodeFault "
                       "comes of it; delete it, and the operator makes its own.");
  in_.metrics.Count("attribution_name_taken_total",
                    "Times that a workload's Attribution was found to be somebody else's.",
                    {{"kind", kind_.resource().kind}});
}

std::unique_ptr<kube::Reconciler> AddWorkloadController(kube::Manager& manager, WorkloadKind& kind,
                                                        kube::Informer& pods,
                                                        WorkloadInputs inputs) {
  auto reconciler = std::make_unique<WorkloadReconciler>(kind, std::move(inputs));
  std::string name = "workload-" + kind.resource().kind;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  kube::Controller& controller = manager.AddController(
      {.name = std::move(name), .max_concurrent_reconciles = kWorkers, .queue = {}}, *reconciler);
  controller.Watch(kind.informer());
  controller.Watch(
      pods, [&kind](const Json& pod) { return kind.OwnersOf(pod); },
      [](const Json* /*before*/, const Json* after) {
        return after != nullptr && FirstFailure(*after).has_value();
      });
  // Who is watched may have changed. The policies' own handler has heard of it before.
  controller.Watch(
      manager.cache().InformerFor({.resource = kAttributionPolicies}),
      [&kind](const Json& /*policy*/) {
        std::vector<kube::Request> all;
        for (const kube::ObjectPtr& workload : kind.informer().List()) {
          all.push_back(kube::KeyOf(*workload));
        }
        return all;
      },
      kube::GenerationChanged);
  return reconciler;
}

}  // namespace controllers
