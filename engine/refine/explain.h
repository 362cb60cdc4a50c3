// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/refine/finding.h"

namespace engine {

// First stratum: what a cause explains is no root. Of several causes the earliest counts.
void Explain(Refinement& refinement);

}  // namespace engine
