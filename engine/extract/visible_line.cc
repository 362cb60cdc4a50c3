// SPDX-License-Identifier: Apache-2.0
#include "engine/extract/visible_line.h"

#include <algorithm>
#include <cstdint>

namespace engine {
namespace {

using Byte = unsigned char;

// Length of the valid UTF-8 sequence at the front; 0 when there is none (RFC 3629: no overlong
// forms, no surrogates, nothing beyond U+10FFFF).
std::size_t SequenceLength(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<Byte>(text[i]); };
  const auto continues = [&](std::size_t i, Byte low = 0x80, Byte high = 0xBF) {
    return i < text.size() && byte(i) >= low && byte(i) <= high;
  };
  const Byte first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return continues(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const Byte low = first == 0xE0 ? 0xA0 : 0x80;
    const Byte high = first == 0xED ? 0x9F : 0xBF;
    return continues(1, low, high) && continues(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const Byte low = first == 0xF0 ? 0x90 : 0x80;
    const Byte high = first == 0xF4 ? 0x8F : 0xBF;
    return continues(1, low, high) && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

// Length of a control sequence (ECMA-48 CSI) at the front: ESC [ parameters final. 0: none.
std::size_t ColourLength(std::string_view text) {
  if (text.size() < 3 || text[0] != '\x1b' || text[1] != '[') return 0;
  for (std::size_t i = 2; i < text.size() && i < 32; ++i) {
    if (text[i] >= '@' && text[i] <= '~') return i + 1;
    if (text[i] < ' ' || text[i] > '?') return 0;
  }
  return 0;
}

// No branch within, so that it is done for many bytes at once.
bool IsPlain(std::string_view text) {
  unsigned other = 0;
  for (const char c : text) {
    const auto byte = static_cast<Byte>(c);
    other |= static_cast<unsigned>(byte - 0x20U > 0x5EU) & static_cast<unsigned>(c != '\t');
  }
  return other == 0;
}

void AppendEscaped(std::string& out, char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto byte = static_cast<Byte>(c);
  out += "\\x";
  out += kDigits[byte >> 4U];
  out += kDigits[byte & 0xFU];
}

void AppendVisible(std::string_view raw, std::string& out) {
  if (IsPlain(raw)) {
    out += raw;
    return;
  }
  while (!raw.empty()) {
    if (const std::size_t colour = ColourLength(raw); colour > 0) {
      raw.remove_prefix(colour);
      continue;
    }
    const std::size_t length = SequenceLength(raw);
    const auto byte = static_cast<Byte>(raw[0]);
    const bool control = length == 1 && ((byte < 0x20 && raw[0] != '\t') || byte == 0x7F);
    // C1 controls (U+0080 to U+009F) steer terminals as well.
    const bool c1 = length == 2 && byte == 0xC2 && static_cast<Byte>(raw[1]) < 0xA0;
    if (length == 0 || control) {
      AppendEscaped(out, raw[0]);
      raw.remove_prefix(1);
    } else if (c1) {
      AppendEscaped(out, raw[0]);
      AppendEscaped(out, raw[1]);
      raw.remove_prefix(2);
    } else {
      out.append(raw.substr(0, length));
      raw.remove_prefix(length);
    }
  }
}

}  // namespace

std::string VisibleLine(std::string_view raw) {
  std::string visible;
  AppendVisible(raw, visible);
  return visible;
}

std::string_view VisibleLine(std::string_view raw, std::string& buffer) {
  if (IsPlain(raw)) return raw;
  buffer.clear();
  AppendVisible(raw, buffer);
  return buffer;
}

bool StripColours(std::string_view text, std::string& stripped) {
  std::size_t escape = text.find('\x1b');
  if (escape == std::string_view::npos) return false;
  stripped.clear();
  for (; escape != std::string_view::npos; escape = text.find('\x1b')) {
    stripped += text.substr(0, escape);
    text.remove_prefix(escape);
    const std::size_t colour = ColourLength(text);
    if (colour == 0) AppendEscaped(stripped, text[0]);
    text.remove_prefix(std::max<std::size_t>(colour, 1));
  }
  stripped += text;
  return true;
}

std::size_t FindInvalidUtf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = SequenceLength(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return std::string_view::npos;
}

std::string CutLine(std::string text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  std::size_t end = bytes > 3 ? bytes - 3 : 0;
  while (end > 0 && (static_cast<Byte>(text[end]) & 0xC0U) == 0x80U) --end;
  text.resize(end);
  return text + "...";
}

}  // namespace engine
