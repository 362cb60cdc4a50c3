// SPDX-License-Identifier: Apache-2.0
// The rulesets that are in force, by name; what the ruleset controller puts in and attributions
// take out. Swapped without a restart: a case keeps the ruleset that it started with.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ruleset.h"

namespace controllers {

// The name of the compiled-in rules; no AttributionRuleset may carry it.
inline constexpr std::string_view kBuiltinRuleset = "builtin";

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
  // Of the missing: announced by Expect and not looked at yet. Worth a short wait.
  std::vector<std::string> pending;
};

// Thread-safe.
class RulesetStore {
 public:
  virtual ~RulesetStore() = default;
  // The named rulesets merged in order, later wins. `builtin` is always there. What is missing is
  // left out and named; if a merge fails although each part was accepted, the built-in rules alone
  // are given and all others are `missing`. Compiled results are kept until a part changes.
  virtual MergedRuleset Merge(const std::vector<std::string>& names) = 0;
  // The built-in rules and every accepted ruleset, by name: what a symptom can mean here at all.
  virtual MergedRuleset MergeAll() = 0;
  // The ruleset exists, and Put or Remove will follow: after a start, before the ruleset controller
  // has come to it.
  virtual void Expect(const std::string& name) = 0;
  virtual void Put(const std::string& name, std::int64_t generation,
                   engine::RulesetDocument document, std::string digest) = 0;
  // It is gone, or nothing of it can be used: neither it nor an earlier generation.
  virtual void Remove(const std::string& name) = 0;
};

std::unique_ptr<RulesetStore> NewRulesetStore();

}  // namespace controllers
