// SPDX-License-Identifier: Apache-2.0
#include "engine/extract/visible_line.h"

#include <gtest/gtest.h>

namespace engine {
namespace {

TEST(VisibleLineTest, KeepsText) {
  EXPECT_EQ(VisibleLine("plain\ttext"), "plain\ttext");
  EXPECT_EQ(VisibleLine("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"),
            "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
}

TEST(VisibleLineTest, ColoursGoAndControlsShow) {
  EXPECT_EQ(VisibleLine("\x1b[31;1mRuntimeError\x1b[0m: x"), "RuntimeError: x");
  EXPECT_EQ(VisibleLine("a\x1b]0;title\x07z"), "a\\x1b]0;title\\x07z");
  EXPECT_EQ(VisibleLine(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(VisibleLine("\xc2\x9b"), "\\xc2\\x9b");
}

TEST(VisibleLineTest, BytesThatAreNoUtf8Show) {
  EXPECT_EQ(VisibleLine("\xff\xc0\xaf"), "\\xff\\xc0\\xaf");
  EXPECT_EQ(VisibleLine("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
  EXPECT_EQ(VisibleLine("\xe2\x82"), "\\xe2\\x82") << "a cut sequence";
}

TEST(VisibleLineTest, CopiesOnlyWhatChanges) {
  std::string buffer;
  const std::string_view plain = "plain\ttext";
  EXPECT_EQ(VisibleLine(plain, buffer).data(), plain.data());
  EXPECT_EQ(VisibleLine("a\x01z", buffer), "a\\x01z");
}

TEST(VisibleLineTest, ColoursAreStrippedFromManyLines) {
  std::string stripped = "as it was";
  EXPECT_FALSE(StripColours("one\ntwo\x01\xff", stripped));
  EXPECT_EQ(stripped, "as it was");
  EXPECT_TRUE(StripColours("\x1b[31mone\x1b[0m\n\x1b[\ntwo\xff\x1b", stripped));
  EXPECT_EQ(stripped, "one\n\\x1b[\ntwo\xff\\x1b");
  EXPECT_TRUE(StripColours("\x1b\x1b[0m[31mx", stripped));
  EXPECT_EQ(stripped, "\\x1b[31mx") << "what is left together is no sequence";
}

TEST(VisibleLineTest, FindsWhereUtf8Ends) {
  EXPECT_EQ(FindInvalidUtf8(""), std::string_view::npos);
  EXPECT_EQ(FindInvalidUtf8("a\xc3\xa9\x1b\n"), std::string_view::npos);
  EXPECT_EQ(FindInvalidUtf8("ab\xff"), 2U);
  EXPECT_EQ(FindInvalidUtf8("\xc3\xa9\xe2\x82"), 2U) << "a cut sequence";
}

TEST(CutLineTest, CutsBetweenCharacters) {
  EXPECT_EQ(CutLine("abcdef", 6), "abcdef");
  EXPECT_EQ(CutLine("abcdefg", 6), "abc...");
  EXPECT_EQ(CutLine("ab\xc3\xa9xyz", 6), "ab...");
}

}  // namespace
}  // namespace engine
