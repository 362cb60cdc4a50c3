// SPDX-License-Identifier: Apache-2.0
#include "operator/saved_logs/utf16.h"

#include <utility>

namespace app {
namespace {

constexpr std::uint32_t kReplacement = 0xFFFD;

void Append(std::uint32_t character, std::string& utf8) {
  const auto byte = [&utf8](std::uint32_t value) { utf8 += static_cast<char>(value); };
  const auto follow = [&](unsigned shift) { byte(0x80U | ((character >> shift) & 0x3FU)); };
  if (character < 0x80) {
    byte(character);
  } else if (character < 0x800) {
    byte(0xC0U | (character >> 6U));
    follow(0);
  } else if (character < 0x10000) {
    byte(0xE0U | (character >> 12U));
    follow(6);
    follow(0);
  } else {
    byte(0xF0U | (character >> 18U));
    follow(12);
    follow(6);
    follow(0);
  }
}

bool IsFirst(std::uint16_t unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool IsSecond(std::uint16_t unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

}  // namespace

std::optional<Utf16Decoder> Utf16Decoder::ForMark(std::string_view front) {
  if (front.starts_with("\xff\xfe")) return Utf16Decoder(false);
  if (front.starts_with("\xfe\xff")) return Utf16Decoder(true);
  return std::nullopt;
}

void Utf16Decoder::DecodeUnit(std::uint16_t unit, std::string& utf8) {
  if (first_) {
    const std::uint32_t first = *std::exchange(first_, std::nullopt);
    if (IsSecond(unit)) {
      Append(0x10000U + ((first - 0xD800U) << 10U) + (unit - 0xDC00U), utf8);
      return;
    }
    Append(kReplacement, utf8);
  }
  if (IsFirst(unit)) {
    first_ = unit;
  } else {
    Append(IsSecond(unit) ? kReplacement : unit, utf8);
  }
}

void Utf16Decoder::Decode(std::string_view bytes, std::string& utf8) {
  for (const char c : bytes) {
    const auto byte = static_cast<std::uint8_t>(c);
    if (!half_) {
      half_ = byte;
      continue;
    }
    const unsigned first = *std::exchange(half_, std::nullopt);
    const unsigned unit = big_endian_ ? (first << 8U) | byte : (unsigned{byte} << 8U) | first;
    DecodeUnit(static_cast<std::uint16_t>(unit), utf8);
  }
}

void Utf16Decoder::Finish(std::string& utf8) {
  if (half_ || first_) Append(kReplacement, utf8);
  half_.reset();
  first_.reset();
}

}  // namespace app
