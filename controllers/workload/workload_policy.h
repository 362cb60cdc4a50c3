// SPDX-License-Identifier: Apache-2.0
// The policy of one workload object.
#pragma once

#include <optional>

#include "controllers/policy/policy_store.h"
#include "controllers/workload/workload_kind.h"
#include "kube/cache.h"

namespace controllers {

// The AttributionPolicy in force for the object; nullopt: nobody asked to watch it. `namespaces` is
// the informer of Namespaces; null where they may not be read: then no policy sees their labels.
std::optional<AppliedPolicy> PolicyOf(const PolicyStore& policies, const kube::Informer* namespaces,
                                      const WorkloadKind& kind, const kube::Json& workload);

}  // namespace controllers
