// SPDX-License-Identifier: Apache-2.0
#include "engine/extract/line_clock.h"

namespace engine {
namespace {

// Longer than any traceback: what stands further above says nothing any more.
constexpr std::size_t kMaxLinesAbove = 128;

}  // namespace

std::optional<Prefix> LineClock::Above(std::string_view block, std::size_t begin,
                                       const ReadTime& read) {
  if (begin > position_) {
    std::string_view unseen = block.substr(position_, begin - position_);
    position_ = begin;
    std::size_t lines = 0;
    while (!unseen.empty() && lines < kMaxLinesAbove) {
      unseen.remove_suffix(1);  // the line's end
      const std::size_t end = unseen.find_last_of("\n\r");
      const std::size_t line_begin = end == std::string_view::npos ? 0 : end + 1;
      const std::string_view line = unseen.substr(line_begin);
      unseen = unseen.substr(0, line_begin);
      if (line.empty()) continue;
      if (const Prefix prefix = read(line); prefix.clock != Clock::kNone) {
        last_ = prefix;
        age_ = lines;
        return Above();
      }
      ++lines;
    }
    age_ += lines;
  }
  return Above();
}

void LineClock::See(const Prefix& prefix) {
  if (prefix.clock != Clock::kNone) {
    last_ = prefix;
    age_ = 0;
  } else {
    ++age_;
  }
}

std::optional<Prefix> LineClock::Above() const {
  return last_ && age_ < kMaxLinesAbove ? last_ : std::nullopt;
}

}  // namespace engine
