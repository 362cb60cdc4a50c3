// SPDX-License-Identifier: Apache-2.0
#include "operator/node_agent/kmsg_line.h"

#include <charconv>

namespace app {
namespace {

template <typename Number>
bool TakeNumber(std::string_view& text, char end, Number* number) {
  const char* const last = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), last, *number);
  if (error != std::errc() || rest == last || *rest != end) return false;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()) + 1);
  return true;
}

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The kernel writes what is not printable as \xHH, and the backslash itself too.
std::string Unescape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && text[i + 1] == 'x') {
      const int high = HexValue(text[i + 2]);
      const int low = HexValue(text[i + 3]);
      if (high >= 0 && low >= 0) {
        out += static_cast<char>(high * 16 + low);
        i += 3;
        continue;
      }
    }
    out += text[i];
  }
  return out;
}

}  // namespace

std::optional<KmsgLine> ParseKmsgLine(std::string_view text) {
  const std::size_t semicolon = text.find(';');
  if (semicolon == std::string_view::npos) return std::nullopt;
  std::string_view head = text.substr(0, semicolon);
  KmsgLine line;
  int prefix = 0;
  std::int64_t usec = 0;
  if (!TakeNumber(head, ',', &prefix) || !TakeNumber(head, ',', &line.seq) ||
      !TakeNumber(head, ',', &usec) || prefix < 0 || usec < 0) {
    return std::nullopt;
  }
  line.priority = prefix & 7;
  line.facility = prefix >> 3;
  line.since_boot = std::chrono::microseconds(usec);
  const std::string_view body = text.substr(semicolon + 1);
  line.message = Unescape(body.substr(0, body.find('\n')));
  return line;
}

}  // namespace app
