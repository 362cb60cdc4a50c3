// SPDX-License-Identifier: Apache-2.0
// Whether the evidence says that the workload finished after all.
#pragma once

#include "engine/refine/finding.h"

namespace engine {

// The finding that says so, -1 if nothing does. Only asked where no controller told the outcome
// (Outcome::kUnknown): saved logs. A catalog entry with `result: Succeeded` is such a word: of the
// whole workload (scope Workload: its Job completed), or of one program (any other scope: it said
// that it was done, or its container's status does). It counts if every failure that was seen is
// overcome:
// - by the word of the whole, unless it was certainly later;
// - by a program's word, in its own log what stands above it, and below it consequences (a peer
// that
//   has gone already); by a container's status, what the programs on its node said; of the node's
//   logs what was not certainly later; of the cluster's words only what was certainly earlier.
int SuccessOf(const Refinement& refinement);

}  // namespace engine
