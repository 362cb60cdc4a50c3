// SPDX-License-Identifier: Apache-2.0
// Bytes in any chunking as blocks of whole lines.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace engine {

// Lines end in '\n' or '\r' (progress bars overwrite their line; "\r\n" gives an empty line, which
// readers pass over). Of a longer line than `max_line_bytes` the front is kept, with a mark. Used
// by one thread.
class LineAssembler {
 public:
  // Takes a block: whole lines, each with its end; what is in it lives as long as the call.
  using Sink = std::function<void(std::string_view block)>;

  LineAssembler(std::size_t max_line_bytes, Sink sink)
      : max_line_bytes_(max_line_bytes), sink_(std::move(sink)) {}

  void Feed(std::string_view bytes);
  // A last line without an end counts.
  void Finish();

 private:
  void Keep(std::string_view rest);
  // Hands over whole lines.
  void Give(std::string_view lines);
  void GiveCut(std::string_view line);

  const std::size_t max_line_bytes_;
  Sink sink_;
  std::string partial_;
  bool cut_ = false;  // the rest of the line is dropped
};

// Where the line begins that holds the byte before `end`, if not before `from`.
std::size_t LineBegin(std::string_view block, std::size_t from, std::size_t end);

// How many '\n' there are.
std::int64_t CountLineFeeds(std::string_view text);

// Takes the next line off a block, without its end; *end_char is '\n' or '\r'.
std::string_view TakeLine(std::string_view& block, char* end_char);

}  // namespace engine
