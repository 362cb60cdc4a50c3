// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace engine {

// A line of evidence as rules see it and reports show it: terminal colour sequences are gone,
// other control characters (but tabs) and bytes that are no UTF-8 are written as "\x1b".
std::string VisibleLine(std::string_view raw);
// The same without a copy where nothing has to change: valid as long as `raw` and `buffer` are.
std::string_view VisibleLine(std::string_view raw, std::string& buffer);

// `text`, of one or more lines, without colour sequences; any other ESC is written out. False: it
// holds no ESC, `stripped` is not set.
bool StripColours(std::string_view text, std::string& stripped);

// At most `bytes` long, cut between characters; a cut is marked by "...".
std::string CutLine(std::string text, std::size_t bytes);

// Where the first byte stands that is no UTF-8 (RFC 3629); npos: all are.
std::size_t FindInvalidUtf8(std::string_view text);

}  // namespace engine
