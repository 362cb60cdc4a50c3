// SPDX-License-Identifier: Apache-2.0
// Bytes from the network's threads to the one that reads them, with back-pressure.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

namespace kube {

// One writer, one reader. Thread-safe.
class BytePipe {
 public:
  explicit BytePipe(std::size_t capacity) : capacity_(capacity) {}

  // Takes the bytes at once. Calls `when_room` (from any thread, perhaps before returning) when the
  // writer may go on. After Abandon the bytes are dropped.
  void Write(const char* bytes, std::size_t size, std::function<void()> when_room);
  // No more bytes come; `error` empty: an orderly end.
  void Finish(std::string error);

  enum class State { kBytes, kEnd, kError, kTimeout, kStopped };
  // Waits for bytes; *size is set with kBytes. The error text is in error().
  State Read(char* buffer, std::size_t capacity, std::size_t* size,
             std::chrono::milliseconds timeout, const std::stop_token& stop);
  std::string error() const;

  // The reader is gone.
  void Abandon();

 private:
  const std::size_t capacity_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::string bytes_;
  std::size_t read_ = 0;  // of bytes_
  std::function<void()> when_room_;
  bool finished_ = false;
  bool abandoned_ = false;
  std::string error_;
};

}  // namespace kube
