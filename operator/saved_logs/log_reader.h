// SPDX-License-Identifier: Apache-2.0
// A saved log as a stream of bytes, decompressed while it is read; UTF-16 with a byte order mark as
// UTF-8.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace app {

// Read from one thread. Closes its file when destroyed.
class LogReader {
 public:
  virtual ~LogReader() = default;
  // Fills the front of `buffer`; returns how many bytes, 0 at the end. After the end, error() says
  // whether it was an orderly one.
  virtual std::size_t Read(std::span<char> buffer) = 0;
  // Empty: all is well. Else what is wrong and what to do, without the path.
  virtual const std::string& error() const = 0;
};

// Opens a file, or the standard input for "-". gzip (RFC 1952, several members too) and Zstandard
// (RFC 8878, several frames too) are told by their first bytes, not by the name. Null with `error`
// set when it can't be opened or is compressed in another way.
std::unique_ptr<LogReader> OpenLog(const std::string& path, std::string* error);

}  // namespace app
