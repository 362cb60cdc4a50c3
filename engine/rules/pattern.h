// SPDX-License-Identifier: Apache-2.0
// How every pattern of a ruleset is compiled. Within the engine only; for .cc files.
#pragma once

#include <re2/re2.h>

#include <cstdint>

namespace engine {

// What a pattern may take: its program at most two thirds of it, its automaton the rest. A ruleset
// may hold some hundreds, so this times their number bounds the memory. The largest built-in one
// needs less than a thirtieth.
inline constexpr std::int64_t kPatternBytes = 1 << 20;

inline RE2::Options PatternOptions() {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kPatternBytes);
  return options;
}

}  // namespace engine
