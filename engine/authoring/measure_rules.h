// SPDX-License-Identifier: Apache-2.0
// What rules cost on a log: for those who write rules.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ruleset.h"
#include "engine/source.h"

namespace engine {

struct RuleCost {
  std::string rule;  // an extractor's or a collector's name
  std::string path;
  std::int64_t tried = 0;            // lines that hold a literal of its pattern
  std::int64_t matched = 0;          // lines that its pattern matches
  std::chrono::nanoseconds time{0};  // of trying the pattern
};

struct RuleCosts {
  std::int64_t lines = 0;
  std::int64_t bytes = 0;
  std::chrono::nanoseconds search_time{0};  // of looking for the literals of all rules
  std::vector<RuleCost> rules;              // those that were tried; the dearest first
};

// Tries the source's rules on every line of `text` as extraction does, and takes the time. Only the
// times differ from run to run.
RuleCosts MeasureRules(const std::shared_ptr<const Ruleset>& ruleset, Source source,
                       std::string_view text);

}  // namespace engine
