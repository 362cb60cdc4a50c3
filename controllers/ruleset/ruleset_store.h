// SPDX-License-Identifier: Apache-2.0
// The rulesets that are in force, by name; what the ruleset controller puts in and attributions
// take out. Swapped without a restart: a case keeps the ruleset that it started with.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/ruleset.h"

namespace controllers {

// One accepted ruleset, for status.applied.
struct AppliedRuleset {
  std::string name;
  std::int64_t generation = 0;  // 0 for the built-in one
  std::string digest;
};

struct MergedRuleset {
  std::shared_ptr<const engine::Ruleset> ruleset;  // never null
  std::vector<AppliedRuleset> applied;
  std::vector<std::string> missing;  // asked for, but not accepted (yet)
};

// Thread-safe.
class RulesetStore {
 public:
  virtual ~RulesetStore() = default;
  // The named rulesets merged in order, later wins. `builtin` is always there. What is missing is
  // left out and named; if a merge fails although each part was accepted, the built-in rules alone
  // are given and all others are `missing`. Compiled results are kept until a part changes.
  virtual MergedRuleset Merge(const std::vector<std::string>& names) = 0;
  virtual void Put(const std::string& name, std::int64_t generation,
                   engine::RulesetDocument document, std::string digest) = 0;
  virtual void Remove(const std::string& name) = 0;
};

std::unique_ptr<RulesetStore> NewRulesetStore();

}  // namespace controllers
