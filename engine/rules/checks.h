// SPDX-License-Identifier: Apache-2.0
// What can only be checked once all documents are merged.
#pragma once

#include <vector>

#include "engine/rules/model.h"
#include "engine/rules/read_rules.h"

namespace engine {

// Every symptom that is named is in the catalog, every table is there and its extractors have the
// group `code`, every pattern is RE2 with named groups of the vocabulary only, messages hold no
// other placeholders than those, no symptom explains, makes or precedes itself (circles.h).
void CheckRules(const RuleModel& model, const RulePlaces& places,
                std::vector<RulesetProblem>& problems);

}  // namespace engine
