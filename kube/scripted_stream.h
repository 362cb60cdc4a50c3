// SPDX-License-Identifier: Apache-2.0
// For tests: a stream of given pieces, then an end, an error, or nothing more.
#pragma once

#include <algorithm>
#include <deque>
#include <string>
#include <utility>

#include "kube/client.h"

namespace kube {

class ScriptedStream final : public ByteStream {
 public:
  enum class End { kOrderly, kCut };

  explicit ScriptedStream(std::deque<std::string> pieces, End end = End::kOrderly)
      : pieces_(std::move(pieces)), end_(end) {}

  std::size_t Read(char* buffer, std::size_t size, std::chrono::milliseconds) override {
    while (!pieces_.empty() && pieces_.front().empty()) pieces_.pop_front();
    if (pieces_.empty()) {
      if (end_ == End::kCut) throw ApiError(ErrorReason::kUnavailable, 0, "watch: cut");
      return 0;
    }
    std::string& piece = pieces_.front();
    const std::size_t taken = std::min(size, piece.size());
    std::copy_n(piece.data(), taken, buffer);
    piece.erase(0, taken);
    return taken;
  }

 private:
  std::deque<std::string> pieces_;
  const End end_;
};

}  // namespace kube
