// SPDX-License-Identifier: Apache-2.0
// Filtering: which events are about this workload at all.
#pragma once

#include <optional>
#include <vector>

#include "engine/case.h"
#include "engine/extract/event.h"
#include "engine/refine/finding.h"

namespace engine {

// The clock that says when a workload began and ended is not the node's. No more than that: what
// the job before it left behind is not this one's.
inline constexpr std::chrono::seconds kBeforeWindow{5};
inline constexpr std::chrono::seconds kAfterWindow{60};

// Leaves out what is outside the window, on a node that is not the workload's or was not at that
// time, or on a GPU that is known not to be; fills in what is known of a GPU (PCI address and UUID
// of the same device); folds what is the same at the same place; keeps the earliest
// `limits.symptoms`.
std::vector<Finding> SelectFindings(const CompiledRuleset& ruleset, const Workload& workload,
                                    std::vector<Event> events, const Limits& limits);

}  // namespace engine
