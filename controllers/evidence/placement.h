// SPDX-License-Identifier: Apache-2.0
// How large a workload is, and whose, by its pods.
#pragma once

#include <string>
#include <vector>

#include "controllers/evidence/session.h"
#include "kube/cache.h"

namespace controllers {

// Pods and accelerators as of the moment at which most accelerators (else pods) were held at once,
// so that retries don't add up; all nodes that any of the pods was on.
Placement PlacementOf(const std::vector<kube::ObjectPtr>& pods);

}  // namespace controllers
