// SPDX-License-Identifier: Apache-2.0
// How much of maxPerHour is used, as far as the cluster still tells.
#pragma once

#include <cstdint>
#include <vector>

#include "controllers/nodefault/node_pool.h"
#include "engine/time.h"

namespace controllers {

// Actions on the pool's nodes within the hour before `now`: faults with a taint of that time, and
// nodes without one whose condition AttributionHardwareFault changed in that time. The condition
// tells of faults that led to it alone, and of faults that were deleted since. A release counts by
// its own time, which errs towards fewer actions. What nobody tells any more: several deleted
// faults of one node count as one, and a deleted one does not count where the policy had a taint
// without the condition.
std::int64_t ActedLastHour(const std::vector<kube::Json>& faults, const PoolStanding& pool,
                           const std::vector<kube::Json>& nodes, engine::Time now);

}  // namespace controllers
