// SPDX-License-Identifier: Apache-2.0
// Points in time as the engine sees them: nanoseconds since the Unix epoch, UTC.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace engine {

using Time = std::chrono::sys_time<std::chrono::nanoseconds>;

// RFC 3339 with "Z", with as many fraction digits (0, 3, 6 or 9) as the value needs.
std::string FormatTime(Time time);

// Reads RFC 3339, with or without a fraction of up to nine digits. nullopt on anything else.
std::optional<Time> ParseRfc3339(std::string_view text);

}  // namespace engine
