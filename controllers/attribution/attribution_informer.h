// SPDX-License-Identifier: Apache-2.0
// The cache of Attributions and the questions that are put to it.
#pragma once

#include <string>
#include <vector>

#include "kube/cache.h"
#include "kube/object.h"

namespace controllers {

// The informer of Attributions that all controllers share, with the indexes below. The first call
// must come before the cache starts.
kube::Informer& AttributionInformer(kube::Cache& cache, const std::vector<std::string>& namespaces);
inline constexpr char kByWorkloadUid[] = "workload-uid";      // spec.workload.uid
inline constexpr char kSettledByPolicy[] = "settled-policy";  // "<namespace>/<policy>"
inline constexpr char kProvenRoots[] = "proven";              // "" for those that are history

// Ready: its verdict stands.
bool IsSettled(const kube::Json& attribution);
// The value of kSettledByPolicy.
std::string SettledGroup(const kube::Json& attribution);

}  // namespace controllers
