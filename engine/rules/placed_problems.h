// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/rules/read_rules.h"
#include "engine/ruleset.h"

namespace engine {

// Adds what shows only after merging to a list of problems or warnings, with the place where the
// entry stands that it is about.
class PlacedProblems {
 public:
  // Both must outlive it.
  PlacedProblems(const RulePlaces& places, std::vector<RulesetProblem>& list)
      : places_(places), list_(list) {}

  // `key` is the entry's in the places, `field` is within the entry (empty: all of it). What is
  // beyond kMaxProblems is dropped.
  void Add(const std::string& key, const std::string& field, const std::string& rule,
           const std::string& message);

 private:
  const RulePlaces& places_;
  std::vector<RulesetProblem>& list_;
};

}  // namespace engine
