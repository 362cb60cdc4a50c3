// SPDX-License-Identifier: Apache-2.0
#include "kube/watch_decoder.h"

#include <nlohmann/json.hpp>
#include <string_view>

namespace kube {
namespace {

constexpr std::size_t kReadBytes = 64 * 1024;

std::optional<WatchEvent::Type> TypeOf(const std::string& name) {
  if (name == "ADDED") return WatchEvent::Type::kAdded;
  if (name == "MODIFIED") return WatchEvent::Type::kModified;
  if (name == "DELETED") return WatchEvent::Type::kDeleted;
  if (name == "BOOKMARK") return WatchEvent::Type::kBookmark;
  if (name == "ERROR") return WatchEvent::Type::kError;
  return std::nullopt;
}

WatchDecoder::Next Decode(std::string_view line) {
  Json event = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!event.is_object()) return {.event = {}, .problem = "a line of the watch is no JSON object"};
  const auto type = TypeOf(StringAt(event, "/type"));
  const auto object = event.find("object");
  if (!type || object == event.end() || !object->is_object()) {
    return {.event = {}, .problem = "a line of the watch is no event"};
  }
  return {.event = WatchEvent{*type, std::move(*object)}, .problem = {}};
}

}  // namespace

WatchDecoder::Next WatchDecoder::Read(std::chrono::milliseconds idle_timeout) {
  for (;;) {
    const std::size_t end = buffer_.find('\n', std::max(start_, scanned_));
    if (end != std::string::npos) {
      const std::string_view line = std::string_view(buffer_).substr(start_, end - start_);
      start_ = end + 1;
      scanned_ = start_;
      if (line.find_first_not_of(" \r\t") == std::string_view::npos) continue;
      return Decode(line);
    }
    scanned_ = buffer_.size();
    if (start_ > 0) {
      buffer_.erase(0, start_);
      scanned_ -= start_;
      start_ = 0;
      if (buffer_.empty()) buffer_.shrink_to_fit();
    }
    if (buffer_.size() > kMaxEventBytes) {
      throw ApiError(ErrorReason::kDecode, 0, "a watch event is larger than 16 MiB");
    }
    const std::size_t filled = buffer_.size();
    buffer_.resize(filled + kReadBytes);
    std::size_t size = 0;
    try {
      size = stream_.Read(buffer_.data() + filled, kReadBytes, idle_timeout);
    } catch (...) {
      buffer_.resize(filled);
      throw;
    }
    buffer_.resize(filled + size);
    // An event without its line break was cut: the next watch brings it again.
    if (size == 0) return {.event = {}, .problem = {}, .end = true};
  }
}

}  // namespace kube
