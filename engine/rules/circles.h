// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/rules/model.h"
#include "engine/rules/placed_problems.h"

namespace engine {

// Adds a problem for each kind of refiner whose rules make a circle: symptoms that explain each
// other would leave none as the root, those that are made of each other or precede each other have
// no meaning.
void CheckCircles(const RuleModel& model, PlacedProblems& problems);

}  // namespace engine
