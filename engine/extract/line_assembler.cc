// SPDX-License-Identifier: Apache-2.0
#include "engine/extract/line_assembler.h"

#include <algorithm>
#include <array>

namespace engine {
namespace {

constexpr char kCut[] = " [line cut]";

}  // namespace

void LineAssembler::Feed(std::string_view bytes) {
  if (bytes.empty()) return;
  if (!partial_.empty() || cut_) {
    const std::size_t end = bytes.find_first_of("\n\r");
    if (end == std::string_view::npos) {
      Keep(bytes);
      return;
    }
    Keep(bytes.substr(0, end));
    if (cut_) partial_ += kCut;
    partial_ += bytes[end];
    const std::string line = std::move(partial_);
    partial_.clear();
    cut_ = false;
    sink_(line);
    bytes.remove_prefix(end + 1);
  }
  const std::size_t last = bytes.find_last_of("\n\r");
  if (last == std::string_view::npos) {
    Keep(bytes);
    return;
  }
  Give(bytes.substr(0, last + 1));
  Keep(bytes.substr(last + 1));
}

// Looks at a few bytes of each max_line_bytes_ only: where a line may end, if it is not too long.
void LineAssembler::Give(std::string_view lines) {
  std::size_t checked = 0;  // up to here no line is too long
  while (lines.size() - checked > max_line_bytes_ + 1) {
    const std::string_view may_end = lines.substr(checked, max_line_bytes_ + 1);
    const std::size_t end = may_end.find_last_of("\n\r");
    if (end != std::string_view::npos) {
      checked += end + 1;
      continue;
    }
    if (checked > 0) sink_(lines.substr(0, checked));
    lines.remove_prefix(checked);
    checked = 0;
    const std::size_t size = lines.find_first_of("\n\r") + 1;  // the last byte ends a line
    GiveCut(lines.substr(0, size));
    lines.remove_prefix(size);
  }
  if (!lines.empty()) sink_(lines);
}

void LineAssembler::GiveCut(std::string_view line) {
  std::string cut(line.substr(0, max_line_bytes_));
  cut += kCut;
  cut += line.back();
  sink_(cut);
}

void LineAssembler::Keep(std::string_view rest) {
  if (rest.empty()) return;
  const std::size_t room = max_line_bytes_ - std::min(max_line_bytes_, partial_.size());
  if (rest.size() > room) cut_ = true;
  partial_.append(rest.substr(0, room));
}

void LineAssembler::Finish() {
  if (partial_.empty()) return;
  if (cut_) partial_ += kCut;
  partial_ += '\n';
  const std::string line = std::move(partial_);
  partial_.clear();
  cut_ = false;
  sink_(line);
}

std::size_t LineBegin(std::string_view block, std::size_t from, std::size_t end) {
  std::size_t begin = end;
  // The byte before `end` is part of the line, even if it ends it.
  if (begin > from) --begin;
  while (begin > from && block[begin - 1] != '\n' && block[begin - 1] != '\r') --begin;
  return begin;
}

std::int64_t CountLineFeeds(std::string_view text) {
  // Counted in single bytes, which the compiler does for many at once, as long as none overflows.
  constexpr std::size_t kLanes = 64;
  constexpr std::size_t kRounds = 255;
  std::int64_t count = 0;
  while (text.size() >= kLanes) {
    std::array<std::uint8_t, kLanes> lanes{};
    const std::size_t rounds = std::min(kRounds, text.size() / kLanes);
    const char* at = text.data();
    for (std::size_t round = 0; round < rounds; ++round, at += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        lanes[lane] = static_cast<std::uint8_t>(lanes[lane] + (at[lane] == '\n' ? 1 : 0));
      }
    }
    for (const std::uint8_t lane : lanes) count += lane;
    text.remove_prefix(rounds * kLanes);
  }
  return count + std::count(text.begin(), text.end(), '\n');
}

std::string_view TakeLine(std::string_view& block, char* end_char) {
  std::size_t end = std::min(block.find('\n'), block.size() - 1);
  end = std::min(block.substr(0, end).find('\r'), end);
  const std::string_view line = block.substr(0, end);
  *end_char = block[end];
  block.remove_prefix(end + 1);
  return line;
}

}  // namespace engine
