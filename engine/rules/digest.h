// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/rules/model.h"

namespace engine {

// "sha256:..." over all that decides in `model`: tests, examples and paths don't count.
std::string DigestOf(const RuleModel& model);

}  // namespace engine
