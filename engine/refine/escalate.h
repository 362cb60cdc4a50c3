// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/refine/finding.h"

namespace engine {

// Third stratum: the same symptom often enough, here and in the history, is more than itself.
void Escalate(Refinement& refinement);

}  // namespace engine
