// SPDX-License-Identifier: Apache-2.0
#include "kube/byte_pipe.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace kube {

void BytePipe::Write(const char* bytes, std::size_t size, std::function<void()> when_room) {
  {
    const std::lock_guard lock(mutex_);
    if (!abandoned_) {
      bytes_.append(bytes, size);
      changed_.notify_all();
      if (bytes_.size() - read_ >= capacity_) {
        when_room_ = std::move(when_room);
        return;
      }
    }
  }
  when_room();
}

void BytePipe::Finish(std::string error) {
  const std::lock_guard lock(mutex_);
  if (finished_) return;
  finished_ = true;
  error_ = std::move(error);
  changed_.notify_all();
}

BytePipe::State BytePipe::Read(char* buffer, std::size_t capacity, std::size_t* size,
                               std::chrono::milliseconds timeout, const std::stop_token& stop) {
  std::function<void()> when_room;
  {
    std::unique_lock lock(mutex_);
    const bool woken =
        changed_.wait_for(lock, stop, timeout, [&] { return read_ < bytes_.size() || finished_; });
    if (!woken) return stop.stop_requested() ? State::kStopped : State::kTimeout;
    if (read_ == bytes_.size()) return error_.empty() ? State::kEnd : State::kError;
    *size = std::min(capacity, bytes_.size() - read_);
    std::memcpy(buffer, bytes_.data() + read_, *size);
    read_ += *size;
    if (read_ == bytes_.size()) {
      bytes_.clear();
      read_ = 0;
    } else if (read_ >= capacity_) {
      bytes_.erase(0, read_);
      read_ = 0;
    }
    if (when_room_ && bytes_.size() - read_ <= capacity_ / 2)
      when_room = std::exchange(when_room_, {});
  }
  if (when_room) when_room();
  return State::kBytes;
}

std::string BytePipe::error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

void BytePipe::Abandon() {
  std::function<void()> when_room;
  {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
    bytes_.clear();
    bytes_.shrink_to_fit();
    read_ = 0;
    when_room = std::exchange(when_room_, {});
  }
  if (when_room) when_room();
}

}  // namespace kube
