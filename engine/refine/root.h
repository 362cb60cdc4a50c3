// SPDX-License-Identifier: Apache-2.0
// Which finding the failure began with.
#pragma once

#include <vector>

#include "engine/refine/finding.h"

namespace engine {

struct RootChoice {
  int root = -1;            // index of the finding; -1: only consequences, or nothing
  bool ambiguous = false;   // several fit equally well, or it is not more than a suspicion
  bool tied = false;        // ... and they are of different domains: no domain can be told
  std::vector<int> others;  // those that fit as well
};

// The earliest unexplained Root; where none is, the earliest unexplained Ambiguous one. Those that
// nothing is certainly before tie; `prefer` breaks a tie, and one within a domain is none.
RootChoice ChooseRoot(const Refinement& refinement);

// How well the root is proven.
EvidenceLevel LevelOf(const Refinement& refinement, const Finding& root);

}  // namespace engine
