// SPDX-License-Identifier: Apache-2.0
#include "controllers/attribution/retirement.h"

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "controllers/attribution/attribution_informer.h"
#include "controllers/attribution/retention.h"
#include "controllers/status/resources.h"
#include "kube/error.h"

namespace controllers {

using kube::Json;
using std::chrono::milliseconds;

namespace {

constexpr std::chrono::seconds kRetentionPause{1};
constexpr std::size_t kRemovedAtOnce = 10;

}  // namespace

engine::Time CreatedAt(const Json& object, engine::Time otherwise) {
  return engine::ParseRfc3339(kube::StringAt(object, "/metadata/creationTimestamp"))
      .value_or(otherwise);
}

milliseconds RetireOld(const RetirementInputs& in, const Json& attribution,
                       const AttributionSettings& settings, engine::Time now,
                       const kube::CallOptions& call) {
  std::vector<Kept> kept;
  for (const kube::ObjectPtr& other :
       in.attributions.ByIndex(kSettledByPolicy, SettledGroup(attribution))) {
    if (kube::IsBeingDeleted(*other)) continue;
    kept.push_back({kube::NameOf(*other), kube::UidOf(*other), CreatedAt(*other, now)});
  }
  const RetentionChoice choice = ChooseExpired(std::move(kept), now, settings.max_age,
                                               settings.max_per_namespace, kRemovedAtOnce);
  for (const Kept& old : choice.expired) {
    try {
      in.client.Delete(kAttributions, {kube::NamespaceOf(attribution), old.name},
                       {.uid = old.uid, .resource_version = {}, .propagation_policy = {}}, call);
      in.metrics.Count("attribution_retired_total", "Attributions removed by retention.", {});
    } catch (const kube::ApiError& error) {
      if (!error.IsNotFound() && !error.IsConflict()) throw;  // gone, or replaced by another
    }
  }
  if (choice.more) return kRetentionPause;
  const auto due = CreatedAt(attribution, now) + settings.max_age;
  if (due <= now) return kRetentionPause;
  return std::chrono::ceil<milliseconds>(due - now);
}

}  // namespace controllers
