// SPDX-License-Identifier: Apache-2.0
// Which patterns matched a message: a flood of errors repeats the same few over and over.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/source.h"

namespace engine {

// Remembers some messages, whole and by source; what it answers is what was put in. Bounded to
// about a MiB. Used by one thread at a time.
class MatchMemo {
 public:
  // Null: not known.
  const std::vector<int>* Find(Source source, std::string_view message) const;
  // The patterns that matched, ascending. Messages too long to be repeated are not remembered.
  void Put(Source source, std::string_view message, const std::vector<int>& matched);

 private:
  struct Slot {
    Source source = Source::kAppLog;
    std::string message;
    std::vector<int> matched;
  };
  static std::size_t SlotOf(Source source, std::string_view message);

  std::vector<Slot> slots_;  // empty until the first Put()
};

}  // namespace engine
