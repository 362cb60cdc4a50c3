// SPDX-License-Identifier: Apache-2.0
// When a line that has no time of its own was written: not before the one above it that has.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>

#include "engine/extract/prefix.h"

namespace engine {

// Follows one stream through its blocks. Only the lines just above those that are asked for are
// read, each at most once. What it answers does not depend on where blocks begin. Used by one
// thread.
class LineClock {
 public:
  // Reads the time at the front of a raw line; clock kNone: it has none.
  using ReadTime = std::function<Prefix(std::string_view raw)>;

  // Where the next block begins, whose lines are not known yet.
  void BeginBlock() { position_ = 0; }
  // The time of the nearest line above block[begin] that has one; nullopt: none near enough.
  std::optional<Prefix> Above(std::string_view block, std::size_t begin, const ReadTime& read);
  // For streams that are read line by line instead: the line above the next one.
  void See(const Prefix& prefix);
  std::optional<Prefix> Above() const;

 private:
  std::optional<Prefix> last_;  // the last line seen that had a time
  std::size_t age_ = 0;         // lines since then
  std::size_t position_ = 0;    // in the block: lines before it have been seen
};

}  // namespace engine
