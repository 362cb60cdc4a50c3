// SPDX-License-Identifier: Apache-2.0
// What the fuzz targets do with their bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace fuzz {

inline std::string_view Text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Takes a byte off the front; 0 when there is none.
inline std::uint8_t TakeByte(std::string_view& bytes) {
  if (bytes.empty()) return 0;
  const auto byte = static_cast<std::uint8_t>(bytes.front());
  bytes.remove_prefix(1);
  return byte;
}

}  // namespace fuzz
