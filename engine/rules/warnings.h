// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/rules/model.h"
#include "engine/rules/read_rules.h"

namespace engine {

// What is allowed and yet hardly meant: rules that can have no effect, proofs that nothing can
// bring, absence taken for granted. `model` must have passed CheckRules().
void WarnOfRules(const RuleModel& model, const RulePlaces& places,
                 std::vector<RulesetProblem>& warnings);

}  // namespace engine
