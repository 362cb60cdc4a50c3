// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/refine/finding.h"

namespace engine {

// Second stratum: symptoms that together are another one.
void Combine(Refinement& refinement);

}  // namespace engine
