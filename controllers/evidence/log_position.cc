// SPDX-License-Identifier: Apache-2.0
#include "controllers/evidence/log_position.h"

#include <chrono>

#include "controllers/status/conditions.h"

namespace controllers {
namespace {

constexpr std::chrono::seconds kSecond{1};

}  // namespace

std::optional<engine::Time> TimeOfLogLine(std::string_view line) {
  const std::size_t blank = line.find(' ');
  return engine::ParseRfc3339(line.substr(0, blank));
}

bool LogPosition::Take(std::string_view line) {
  const auto time = TimeOfLogLine(line);
  if (resumed_) {
    resumed_ = false;
    // The last line that was taken would come again if it were still there.
    if (newest_ && time && *time > *newest_) lost_ = true;
  }
  if (to_skip_ > 0) {
    if (!time || *time <= *newest_) {
      --to_skip_;
      return false;
    }
    to_skip_ = 0;
  }
  if (!time) return true;
  if (!first_) first_ = time;
  if (!newest_ || *time > *newest_) newest_ = time;
  const auto second = std::chrono::floor<std::chrono::seconds>(*newest_);
  if (second != second_) {
    taken_in_second_before_ = second - second_ == kSecond ? taken_in_second_ : 0;
    taken_in_second_ = 0;
    second_ = second;
  }
  if (*time >= second_) {
    ++taken_in_second_;
  } else if (*time >= second_ - kSecond) {
    ++taken_in_second_before_;
  }
  return true;
}

std::string LogPosition::Resume() {
  to_skip_ = taken_in_second_ + taken_in_second_before_;
  resumed_ = newest_.has_value();
  return newest_ ? FormatSeconds(second_ - kSecond) : std::string();
}

}  // namespace controllers
