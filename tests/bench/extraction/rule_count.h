// SPDX-License-Identifier: Apache-2.0
// The built-in rules, fewer or more of them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "engine/ruleset.h"

namespace bench {

// A ruleset of `extractors` extractors: evenly taken from the built-in ones; where there are not so
// many, made-up ones beside them. 0: the built-in rules as they are. Aborts when the built-in rules
// don't load.
std::shared_ptr<const engine::Ruleset> RulesetOf(std::size_t extractors);

// What that ruleset looks for, one regular expression each, in words that other programs know too.
std::vector<std::string> PatternsOf(const engine::Ruleset& ruleset);

// The lines that the built-in extractors for logs of programs give as examples.
std::vector<std::string> ErrorLines();

}  // namespace bench
