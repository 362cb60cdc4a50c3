// SPDX-License-Identifier: Apache-2.0
#include "operator/visible_text.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

namespace app {
namespace {

// A character and the bytes that it takes; length 0: no valid UTF-8 starts here.
struct Character {
  std::uint32_t code = 0;
  std::size_t length = 0;
};

Character DecodeUtf8(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return {first, 1};
  std::size_t length = 0;
  std::uint32_t code = 0;
  std::uint32_t smallest = 0;  // shorter forms of it are not valid
  if (first >= 0xc2 && first <= 0xdf) {
    length = 2, code = first & 0x1fU, smallest = 0x80;
  } else if (first >= 0xe0 && first <= 0xef) {
    length = 3, code = first & 0x0fU, smallest = 0x800;
  } else if (first >= 0xf0 && first <= 0xf4) {
    length = 4, code = first & 0x07U, smallest = 0x10000;
  } else {
    return {};
  }
  if (text.size() < length) return {};
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return {};
    code = (code << 6) | (byte(i) & 0x3fU);
  }
  if (code < smallest || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return {};
  return {code, length};
}

// Bidirectional controls reorder what stands around them; separators break a line in two.
bool ChangesLayout(std::uint32_t code) {
  return code == 0x61c || code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
}

}  // namespace

std::string VisibleText(std::string_view text) {
  std::string visible;
  visible.reserve(text.size());
  while (!text.empty()) {
    const Character c = DecodeUtf8(text);
    if (c.length == 0) {
      visible += fmt::format("\\x{:02x}", static_cast<std::uint8_t>(text[0]));
      text.remove_prefix(1);
      continue;
    }
    if (c.code == '\t') {
      visible += ' ';
    } else if (c.code < 0x20 || (c.code >= 0x7f && c.code < 0xa0)) {
      visible += fmt::format("\\x{:02x}", c.code);
    } else if (ChangesLayout(c.code)) {
      visible += fmt::format("\\u{:04x}", c.code);
    } else {
      visible.append(text.substr(0, c.length));
    }
    text.remove_prefix(c.length);
  }
  return visible;
}

}  // namespace app
