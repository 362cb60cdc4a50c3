// SPDX-License-Identifier: Apache-2.0
// Logs that were saved as UTF-16, as some terminals and PowerShell do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace app {

// Turns UTF-16 in pieces of any size into UTF-8. Used by one thread.
class Utf16Decoder {
 public:
  // By the byte order mark in front of a text (Unicode 15, section 2.13), which is not decoded;
  // nullopt: it is no UTF-16.
  static std::optional<Utf16Decoder> ForMark(std::string_view front);
  static constexpr std::size_t kMarkBytes = 2;

  // Appends to `utf8`, at most three bytes for two. What is no UTF-16 becomes U+FFFD.
  void Decode(std::string_view bytes, std::string& utf8);
  // The end: half a character becomes U+FFFD.
  void Finish(std::string& utf8);

 private:
  explicit Utf16Decoder(bool big_endian) : big_endian_(big_endian) {}
  void DecodeUnit(std::uint16_t unit, std::string& utf8);

  bool big_endian_;
  std::optional<std::uint8_t> half_;    // the first byte of a unit
  std::optional<std::uint16_t> first_;  // of a surrogate pair
};

}  // namespace app
