// SPDX-License-Identifier: Apache-2.0
#include "engine/time.h"

#include <fmt/format.h>

#include <charconv>

namespace engine {
namespace {

// Reads exactly `digits` digits at the front.
bool TakeNumber(std::string_view& text, std::size_t digits, int* number) {
  if (text.size() < digits) return false;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + digits, *number);
  if (error != std::errc() || rest != text.data() + digits || text[0] == '-') return false;
  text.remove_prefix(digits);
  return true;
}

bool TakeChar(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::string FormatTime(Time time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const auto day = std::chrono::floor<std::chrono::days>(seconds);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(seconds - day);
  std::string text =
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                  clock.hours().count(), clock.minutes().count(), clock.seconds().count());
  const std::int64_t nanoseconds = (time - seconds).count();
  if (nanoseconds % 1'000'000'000 != 0) {
    if (nanoseconds % 1'000'000 == 0) {
      text += fmt::format(".{:03}", nanoseconds / 1'000'000);
    } else if (nanoseconds % 1'000 == 0) {
      text += fmt::format(".{:06}", nanoseconds / 1'000);
    } else {
      text += fmt::format(".{:09}", nanoseconds);
    }
  }
  return text + 'Z';
}

std::optional<Time> ParseRfc3339(std::string_view text) {
  int year = 0;
  int month = 0;
  int day = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
  if (!TakeNumber(text, 4, &year) || !TakeChar(text, '-') || !TakeNumber(text, 2, &month) ||
      !TakeChar(text, '-') || !TakeNumber(text, 2, &day) ||
      !(TakeChar(text, 'T') || TakeChar(text, 't')) || !TakeNumber(text, 2, &hour) ||
      !TakeChar(text, ':') || !TakeNumber(text, 2, &minute) || !TakeChar(text, ':') ||
      !TakeNumber(text, 2, &second)) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  // Nanoseconds since 1970 reach from 1677 to 2262; a leap second is taken for the next second.
  if (!date.ok() || year < 1678 || year > 2261 || hour > 23 || minute > 59 || second > 60) {
    return std::nullopt;
  }
  std::int64_t nanoseconds = 0;
  if (TakeChar(text, '.')) {
    std::int64_t unit = 100'000'000;
    std::size_t digits = 0;
    while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
      nanoseconds += (text.front() - '0') * unit;
      unit /= 10;
      text.remove_prefix(1);
      if (++digits > 9) return std::nullopt;
    }
    if (digits == 0) return std::nullopt;
  }
  std::chrono::minutes offset{0};
  if (!TakeChar(text, 'Z') && !TakeChar(text, 'z')) {
    const bool west = TakeChar(text, '-');
    int hours = 0;
    int minutes = 0;
    if (!west && !TakeChar(text, '+')) return std::nullopt;
    if (!TakeNumber(text, 2, &hours) || !TakeChar(text, ':') || !TakeNumber(text, 2, &minutes) ||
        hours > 23 || minutes > 59) {
      return std::nullopt;
    }
    offset = std::chrono::minutes((west ? -1 : 1) * (hours * 60 + minutes));
  }
  if (!text.empty()) return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(hour) + std::chrono::minutes(minute) +
         std::chrono::seconds(second) + std::chrono::nanoseconds(nanoseconds) - offset;
}

}  // namespace engine
