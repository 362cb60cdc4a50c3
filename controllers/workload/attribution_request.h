// SPDX-License-Identifier: Apache-2.0
// The Attribution that one attempt of a workload gets.
#pragma once

#include <string>

#include "controllers/workload/workload_kind.h"

namespace controllers {

inline constexpr char kWorkloadUidLabel[] = "attribution.dev/workload-uid";

// "<workload, at most 40 characters>-<10 hexadecimal digits of a hash of UID and attempt>": the
// same for the same attempt whoever makes it, and a valid name.
std::string AttributionName(const std::string& workload, const std::string& uid,
                            const std::string& attempt_id);

// The object to create. Without an owner reference: a Job's TTL must not delete its verdict.
kube::Json AttributionFor(const WorkloadKind& kind, const kube::Json& workload,
                          const Attempt& attempt);

}  // namespace controllers
