// SPDX-License-Identifier: Apache-2.0
#include "operator/text_file.h"

#include <vector>

#include "operator/saved_logs/log_reader.h"

namespace app {
namespace {

constexpr std::size_t kMaxBytes = 16 << 20;

}  // namespace

bool ReadTextFile(const std::string& path, std::string* text, std::string* error) {
  const auto reader = OpenLog(path, error);
  if (reader == nullptr) return false;
  std::vector<char> buffer(64 * 1024);
  while (const std::size_t size = reader->Read(buffer)) {
    text->append(buffer.data(), size);
    if (text->size() > kMaxBytes) {
      *error = "larger than 16 MiB, which no text that is read at once is";
      return false;
    }
  }
  *error = reader->error();
  return error->empty();
}

}  // namespace app
