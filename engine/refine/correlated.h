// SPDX-License-Identifier: Apache-2.0
// Correlated faults are not broken GPUs.
#pragma once

#include <string>

#include "engine/refine/finding.h"

namespace engine {

inline constexpr int kCorrelatedNodes = 3;
inline constexpr std::chrono::minutes kCorrelationWindow{30};
inline constexpr std::chrono::minutes kAfterBoot{15};

// Why the root is an event of the platform and not a fault of its node; empty: it isn't. The same
// symptom on three nodes within half an hour, a quarter of an hour after a boot, or a driver
// upgrade, MIG change or maintenance under way.
std::string CorrelatedWith(const Refinement& refinement, const Finding& root);

}  // namespace engine
