// SPDX-License-Identifier: Apache-2.0
// The format of one record of /dev/kmsg.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace app {

struct KmsgLine {
  int priority = 0;
  int facility = 0;
  std::uint64_t seq = 0;
  std::chrono::microseconds since_boot{0};
  std::string message;  // escapes (\x0a) decoded
};

// "prefix,seq,usec,flags[,...];message\n KEY=value\n": prefix is facility * 8 + priority. nullopt
// when it isn't that.
std::optional<KmsgLine> ParseKmsgLine(std::string_view text);

}  // namespace app
