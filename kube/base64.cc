// SPDX-License-Identifier: Apache-2.0
#include "kube/base64.h"

#include <openssl/evp.h>

#include <cctype>
#include <vector>

namespace kube {

std::optional<std::string> DecodeBase64(std::string_view text) {
  std::string packed;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) == 0) packed += c;
  }
  if (packed.size() % 4 != 0) return std::nullopt;
  std::vector<unsigned char> bytes(packed.size() / 4 * 3 + 1);
  const int size =
      EVP_DecodeBlock(bytes.data(), reinterpret_cast<const unsigned char*>(packed.data()),
                      static_cast<int>(packed.size()));
  if (size < 0) return std::nullopt;
  // EVP counts the padding's bytes as well.
  std::size_t length = static_cast<std::size_t>(size);
  for (std::size_t i = packed.size(); i > 0 && packed[i - 1] == '=' && length > 0; --i) --length;
  return std::string(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length));
}

}  // namespace kube
