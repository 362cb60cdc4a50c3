// SPDX-License-Identifier: Apache-2.0
// A watch's bytes as events: one JSON object {type, object} a line.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "kube/client.h"

namespace kube {

struct WatchEvent {
  enum class Type { kAdded, kModified, kDeleted, kBookmark, kError };
  Type type = Type::kAdded;
  Json object;
};

// Used by one thread.
class WatchDecoder {
 public:
  // An object is at most 1.5 MiB in etcd; JSON escapes can make it larger.
  static constexpr std::size_t kMaxEventBytes = 16 << 20;

  explicit WatchDecoder(ByteStream& stream) : stream_(stream) {}

  // nullopt at the stream's orderly end. Throws what the stream throws, and ApiError kDecode for an
  // event that is too long to go on. A line that is no event is given as `*garbage` with nullopt-
  // free result: callers count it and go on.
  struct Next {
    std::optional<WatchEvent> event;
    std::string problem;  // not empty: this line was no event
    bool end = false;
  };
  Next Read(std::chrono::milliseconds idle_timeout);

 private:
  ByteStream& stream_;
  std::string buffer_;
  std::size_t start_ = 0;    // of the next line in buffer_
  std::size_t scanned_ = 0;  // no line break before this
};

}  // namespace kube
