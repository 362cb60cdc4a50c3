// SPDX-License-Identifier: Apache-2.0
// What a line must hold for a pattern to have a chance.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace engine {

// Shorter ones stand in too many lines.
inline constexpr std::size_t kMinLiteralBytes = 4;
// Every match of `pattern`, a valid RE2, holds at least one of these, its ASCII letters in any
// case. In lower case, sorted, unique. Empty: there are none, the pattern would have to be tried on
// every line.
std::vector<std::string> RequiredLiterals(const std::string& pattern);

}  // namespace engine
