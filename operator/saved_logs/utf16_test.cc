// SPDX-License-Identifier: Apache-2.0
#include "operator/saved_logs/utf16.h"

#include <gtest/gtest.h>

namespace app {
namespace {

std::string Decoded(std::string_view text, std::size_t chunk) {
  auto decoder = Utf16Decoder::ForMark(text);
  if (!decoder) return "no mark";
  std::string utf8;
  text.remove_prefix(Utf16Decoder::kMarkBytes);
  for (; !text.empty(); text.remove_prefix(std::min(chunk, text.size()))) {
    decoder->Decode(text.substr(0, chunk), utf8);
  }
  decoder->Finish(utf8);
  return utf8;
}

std::string Bytes(std::u16string_view text, bool big_endian) {
  std::string bytes;
  for (const char16_t unit : text) {
    const char high = static_cast<char>(unit >> 8U);
    const char low = static_cast<char>(unit & 0xFFU);
    bytes += big_endian ? high : low;
    bytes += big_endian ? low : high;
  }
  return bytes;
}

TEST(Utf16Test, BothByteOrdersInPiecesOfAnySize) {
  const std::u16string text = u"\ufeffstep 1\r\n\u00e9 \u20ac \U0001F600\n";
  for (const bool big_endian : {false, true}) {
    for (std::size_t chunk = 1; chunk < 20; ++chunk) {
      EXPECT_EQ(Decoded(Bytes(text, big_endian), chunk),
                "step 1\r\n\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\n");
    }
  }
}

TEST(Utf16Test, WhatIsNoneIsReplaced) {
  constexpr char kReplacement[] = "\xef\xbf\xbd";
  const std::u16string lone_first = {0xfeff, 0xd800, u'x'};
  const std::u16string lone_second = {0xfeff, 0xdc00, u'x'};
  EXPECT_EQ(Decoded(Bytes(lone_first, false), 3), std::string(kReplacement) + "x");
  EXPECT_EQ(Decoded(Bytes(lone_second, false), 3), std::string(kReplacement) + "x");
  EXPECT_EQ(Decoded(Bytes({lone_first.data(), 2}, false), 3), kReplacement);
  EXPECT_EQ(Decoded("\xff\xfex", 1), kReplacement);
  EXPECT_EQ(Decoded("plain", 1), "no mark");
}

}  // namespace
}  // namespace app
