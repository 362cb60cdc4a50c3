// SPDX-License-Identifier: Apache-2.0
#include "controllers/attribution/attribution_informer.h"

#include <nlohmann/json.hpp>

#include "controllers/attribution/fault_history.h"
#include "controllers/status/conditions.h"
#include "controllers/status/resources.h"

namespace controllers {

using kube::Json;

bool IsSettled(const Json& attribution) { return ConditionStatus(attribution, "Ready") == "True"; }

std::string SettledGroup(const Json& attribution) {
  return kube::NamespaceOf(attribution) + '/' +
         kube::StringAt(attribution, "/status/applied/policy");
}

kube::Informer& AttributionInformer(kube::Cache& cache,
                                    const std::vector<std::string>& namespaces) {
  kube::Informer& attributions = cache.InformerFor({.resource = kAttributions,
                                                    .namespaces = namespaces,
                                                    .label_selector = {},
                                                    .field_selector = {},
                                                    .projection = nullptr});
  attributions.AddIndex(kByWorkloadUid, [](const Json& attribution) {
    return std::vector<std::string>{kube::StringAt(attribution, "/spec/workload/uid")};
  });
  attributions.AddIndex(kSettledByPolicy, [](const Json& attribution) -> std::vector<std::string> {
    if (!IsSettled(attribution) && ConditionStatus(attribution, "Stalled") != "True") return {};
    return {SettledGroup(attribution)};
  });
  attributions.AddIndex(kProvenRoots, [](const Json& attribution) -> std::vector<std::string> {
    if (!IsProven(attribution)) return {};
    return {{}};
  });
  return attributions;
}

}  // namespace controllers
