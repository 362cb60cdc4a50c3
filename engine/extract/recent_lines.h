// SPDX-License-Identifier: Apache-2.0
// The last lines of a stream: what stood before a line that decides, and how the log ended.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

// Lines as people are shown them: visible, cut, not yet redacted. Empty ones are passed over. What
// it remembers does not depend on where blocks begin. Used by one thread.
class RecentLines {
 public:
  // Remembers at most `max_lines`. `kubernetes_times`: lines begin with the kubelet's time, which
  // is not the program's and not shown.
  RecentLines(std::size_t max_lines, bool kubernetes_times)
      : max_lines_(max_lines), kubernetes_times_(kubernetes_times) {}

  // The end of a block of whole lines that has been read.
  void AddBlock(std::string_view block);
  // One line, already visible.
  void AddLine(std::string_view text);

  // At most `max_lines` lines before block[begin], oldest first, each at most `max_bytes` long;
  // `block` is not yet added.
  std::vector<std::string> Before(std::string_view block, std::size_t begin, std::size_t max_lines,
                                  std::size_t max_bytes) const;
  std::vector<std::string> All() const { return {lines_.begin(), lines_.end()}; }

  // `line` without the kubelet's time.
  std::string_view Shown(std::string_view line) const;

 private:
  const std::size_t max_lines_;
  const bool kubernetes_times_;
  std::deque<std::string> lines_;
};

}  // namespace engine
