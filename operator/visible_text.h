// SPDX-License-Identifier: Apache-2.0
// Text that others wrote, made safe to print: evidence is written by the people being judged.
#pragma once

#include <string>
#include <string_view>

namespace app {

// One line for a terminal. Control characters, bytes that are no UTF-8 and characters that change
// the direction of text come out as visible escapes ("\x1b", "\u202e"); a tab becomes a blank. What
// is visible already comes out as it is, so the result may be passed through again.
std::string VisibleText(std::string_view text);

}  // namespace app
