// SPDX-License-Identifier: Apache-2.0
// What in the patterns of extractors is allowed and hardly meant: for those who write rules.
// Looking for it takes too long for every load.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/ruleset.h"

namespace engine {

// Extractors of these documents (empty: of all) that can never match, that find only what another
// one finds already, or that are slow. Without line and column.
std::vector<RulesetProblem> PatternWarnings(const std::shared_ptr<const Ruleset>& ruleset,
                                            const std::set<std::string>& documents);

}  // namespace engine
