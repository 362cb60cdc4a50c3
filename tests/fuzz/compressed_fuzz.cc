// SPDX-License-Identifier: Apache-2.0
// Damaged and hostile compressed files: the same bytes whatever the buffer, and an end.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "operator/saved_logs/log_reader.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

// A few bytes can stand for many.
constexpr std::size_t kMaxOutput = 4 << 20;

// nullopt: it is damaged; how much comes before that is known may depend on the buffer.
std::optional<std::string> ReadAll(const std::string& path, std::size_t buffer_bytes) {
  std::string error;
  const auto reader = app::OpenLog(path, &error);
  if (reader == nullptr) {
    if (error.empty()) std::abort();
    return error;
  }
  std::string text;
  std::vector<char> buffer(buffer_bytes);
  while (text.size() < kMaxOutput) {
    const std::size_t size = reader->Read(buffer);
    if (size > buffer.size()) std::abort();
    if (size == 0) break;
    text.append(buffer.data(), size);
  }
  if (!reader->error().empty()) return std::nullopt;
  return text.substr(0, kMaxOutput);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int file = memfd_create("fuzz", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  if (ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != static_cast<ssize_t>(size)) {
    std::abort();
  }
  const auto slowly = ReadAll(path, 4096);
  const auto quickly = ReadAll(path, 100'000);
  if (slowly && quickly && slowly != quickly) std::abort();
  return 0;
}
