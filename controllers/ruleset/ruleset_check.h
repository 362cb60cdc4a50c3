// SPDX-License-Identifier: Apache-2.0
// Whether an AttributionRuleset can be put in force. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/ruleset.h"
#include "kube/object.h"

namespace controllers {

// An entry of status.failures.
struct RulesetFailure {
  std::string path;  // "spec.extractors[3].match"
  std::string rule;  // the entry's name; may be empty
  std::string message;
};

struct RulesetCheck {
  bool loads = false;         // compiles, and every reference is in the catalog
  bool tests_passed = false;  // false too when they could not run
  std::int64_t tests = 0;     // that ran, of the ruleset and the built-in rules together
  std::int64_t rules = 0;     // of the ruleset alone
  std::vector<RulesetFailure> failures;

  bool good() const { return loads && tests_passed; }
};

// What the engine reads of an AttributionRuleset object.
engine::RulesetDocument DocumentOf(const kube::Json& ruleset);
// "sha256:..." over the spec, whatever the order of its keys.
std::string DigestOf(const kube::Json& ruleset);

// Loads the ruleset on top of the built-in rules, which it may refer to and override, and runs all
// embedded tests of both: a ruleset that breaks a built-in test must override that test by name.
RulesetCheck CheckRuleset(const kube::Json& ruleset);

}  // namespace controllers
