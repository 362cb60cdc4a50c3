// SPDX-License-Identifier: Apache-2.0
// Where the reading of a container's log stands, so that it goes on after a cut without losing or
// doubling a line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/time.h"

namespace controllers {

// Fed with the complete lines of pods/log with timestamps, in the order they come. The API server
// passes sinceTime on in whole seconds, and stdout and stderr are stamped apart, so that times
// within a log may step back a little: what was read of the last two seconds is asked for again and
// skipped.
class LogPosition {
 public:
  // Whether the line is new.
  bool Take(std::string_view line);

  // The reading starts again: returns the sinceTime to ask for, empty to start at the beginning.
  std::string Resume();

  // From the first line after a Resume on: lines between were lost, since the log no longer goes
  // back to where the reading stood (the kubelet rotated it).
  bool lost() const { return lost_; }
  // The time of the first line ever taken.
  std::optional<engine::Time> first() const { return first_; }
  std::optional<engine::Time> newest() const { return newest_; }

 private:
  std::optional<engine::Time> first_;
  std::optional<engine::Time> newest_;
  engine::Time second_{};  // newest_ in whole seconds
  std::int64_t taken_in_second_ = 0;
  std::int64_t taken_in_second_before_ = 0;
  std::int64_t to_skip_ = 0;
  bool resumed_ = false;  // no line has come since
  bool lost_ = false;
};

// The time that pods/log puts in front of a line.
std::optional<engine::Time> TimeOfLogLine(std::string_view line);

}  // namespace controllers
