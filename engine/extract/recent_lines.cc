// SPDX-License-Identifier: Apache-2.0
#include "engine/extract/recent_lines.h"

#include <algorithm>
#include <optional>

#include "engine/extract/visible_line.h"
#include "engine/time.h"

namespace engine {
namespace {

// More than is reported: what is cut later still holds a secret's shape where it ends.
constexpr std::size_t kMaxBytes = 1280;

// Takes the last line that is not empty off a block of whole lines; nullopt: there is none.
std::optional<std::string_view> TakeLastLine(std::string_view& block) {
  while (!block.empty()) {
    block.remove_suffix(1);  // the line's end
    const std::size_t end = block.find_last_of("\n\r");
    const std::size_t begin = end == std::string_view::npos ? 0 : end + 1;
    const std::string_view line = block.substr(begin);
    block = block.substr(0, begin);
    if (!line.empty()) return line;
  }
  return std::nullopt;
}

}  // namespace

void RecentLines::AddBlock(std::string_view block) {
  std::vector<std::string_view> last;  // nearest first
  while (last.size() < max_lines_) {
    const auto line = TakeLastLine(block);
    if (!line) break;
    last.push_back(*line);
  }
  for (auto line = last.rbegin(); line != last.rend(); ++line) AddLine(VisibleLine(*line));
}

void RecentLines::AddLine(std::string_view text) {
  lines_.push_back(CutLine(std::string(Shown(text)), kMaxBytes));
  if (lines_.size() > max_lines_) lines_.pop_front();
}

std::vector<std::string> RecentLines::Before(std::string_view block, std::size_t begin,
                                             std::size_t max_lines, std::size_t max_bytes) const {
  std::vector<std::string> before;  // nearest first
  std::string_view above = block.substr(0, begin);
  while (before.size() < max_lines) {
    const auto line = TakeLastLine(above);
    if (!line) break;
    before.push_back(CutLine(std::string(Shown(VisibleLine(*line))), max_bytes));
  }
  for (auto line = lines_.rbegin(); line != lines_.rend() && before.size() < max_lines; ++line) {
    before.push_back(CutLine(*line, max_bytes));
  }
  std::reverse(before.begin(), before.end());
  return before;
}

std::string_view RecentLines::Shown(std::string_view line) const {
  if (!kubernetes_times_) return line;
  const std::size_t blank = line.find(' ');
  if (blank == std::string_view::npos || !ParseRfc3339(line.substr(0, blank))) return line;
  return line.substr(blank + 1);
}

}  // namespace engine
