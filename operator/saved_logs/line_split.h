// SPDX-License-Identifier: Apache-2.0
// A system log taken apart into what the kernel wrote and what others wrote.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace app {

// Sends each line to one of two streams and remembers where in the log it stood, so that a line
// number in a stream can be told as one of the log. An indented line without a tag goes where the
// line above it went. Used by one thread.
class LineSplit {
 public:
  // Takes bytes of a stream, whole lines at last. The bytes live as long as the call.
  using Sink = std::function<void(bool kernel, std::string_view bytes)>;

  explicit LineSplit(Sink sink) : sink_(std::move(sink)) {}

  // Bytes as they come; lines may be split anywhere.
  void Write(std::string_view bytes);
  // A last line without a line break counts.
  void Finish();

  // The 1-based line of the log that became line `number` of a stream; 0 when it isn't known, which
  // is so beyond the millionth change between the two writers.
  std::int64_t LineInLog(bool kernel, std::int64_t number) const;

 private:
  // From line `in_stream` on, the lines of a stream follow each other in the log from `in_log` on.
  struct Run {
    std::int64_t in_stream = 0;
    std::int64_t in_log = 0;
  };
  struct Stream {
    std::int64_t lines = 0;
    std::vector<Run> runs;
    std::int64_t known_lines = 0;  // up to here the runs are complete
  };

  void BeginLine(std::string_view front);

  Sink sink_;
  Stream streams_[2];
  std::int64_t lines_ = 0;
  bool in_line_ = false;  // the line's stream is known, its end has not been seen
  bool kernel_ = false;   // the stream of the line that is being read
  std::string front_;     // the line's beginning, while it is too short to tell
};

}  // namespace app
