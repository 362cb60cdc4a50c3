// SPDX-License-Identifier: Apache-2.0
// Lines out of bytes that come in any pieces.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace controllers {

// Keeps at most kMaxLine bytes of a line; the rest of it is passed over.
class LineBuffer {
 public:
  static constexpr std::size_t kMaxLine = 64 * 1024;

  // Calls line(std::string_view) for each line that is complete now, without its break. The view
  // is only good during the call.
  template <typename Function>
  void Feed(std::string_view bytes, const Function& line) {
    while (!bytes.empty()) {
      const std::size_t end = bytes.find('\n');
      const std::string_view piece = bytes.substr(0, end);
      if (end == std::string_view::npos) {
        Keep(piece);
        return;
      }
      if (rest_.empty()) {
        line(piece.substr(0, kMaxLine));
      } else {
        Keep(piece);
        line(std::string_view(rest_));
        rest_.clear();
      }
      bytes.remove_prefix(end + 1);
    }
  }

  // The beginning of a line whose break has not come.
  const std::string& rest() const { return rest_; }
  void Clear() { rest_.clear(); }

 private:
  void Keep(std::string_view piece) {
    rest_ += piece.substr(0, kMaxLine - std::min(kMaxLine, rest_.size()));
  }

  std::string rest_;
};

}  // namespace controllers
