// SPDX-License-Identifier: Apache-2.0
// Every pattern of a ruleset, compiled, with one literal prefilter over all of them: a buffer goes
// through the SIMD literal matcher once, and only the lines that hold an extractor's literals are
// shown to its regular expression.
#pragma once

#include <memory>
#include <vector>

#include "engine/rules/model.h"

namespace engine {

class Matchers {
 public:
  // `model` must already be checked: every pattern is a valid RE2. Problems (no literal of at least
  // 4 bytes, cost limits) are added to `problems`, then the answer is null. Keeps no reference to
  // `model`.
  static std::shared_ptr<const Matchers> Compile(const RuleModel& model,
                                                 std::vector<RulesetProblem>& problems);
  ~Matchers();

  class Impl;
  const Impl& impl() const { return *impl_; }

 private:
  explicit Matchers(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace engine
