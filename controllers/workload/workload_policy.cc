// SPDX-License-Identifier: Apache-2.0
#include "controllers/workload/workload_policy.h"

#include <nlohmann/json.hpp>

namespace controllers {

std::optional<AppliedPolicy> PolicyOf(const PolicyStore& policies, const kube::Informer* namespaces,
                                      const WorkloadKind& kind, const kube::Json& workload) {
  PolicySubject subject{.kind = kind.resource().kind,
                        .namespace_labels = {},
                        .labels = kube::LabelsOf(workload),
                        .resources = kind.RequestedResources(workload)};
  if (namespaces != nullptr) {
    const kube::ObjectPtr found = namespaces->Get({{}, kube::NamespaceOf(workload)});
    if (found) subject.namespace_labels = kube::LabelsOf(*found);
  }
  return policies.PolicyFor(subject);
}

}  // namespace controllers
