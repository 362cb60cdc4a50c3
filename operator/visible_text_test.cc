// SPDX-License-Identifier: Apache-2.0
#include "operator/visible_text.h"

#include <gtest/gtest.h>

namespace app {
namespace {

TEST(VisibleText, KeepsWhatIsVisible) {
  EXPECT_EQ(VisibleText("[rank 0] größe 模型 🙂"), "[rank 0] größe 模型 🙂");
  EXPECT_EQ(VisibleText(""), "");
}

TEST(VisibleText, ShowsControlCharacters) {
  EXPECT_EQ(VisibleText("\x1b[2Jgone"), "\\x1b[2Jgone");
  EXPECT_EQ(VisibleText("a\r\nb\x07\x7f"), "a\\x0d\\x0ab\\x07\\x7f");
  EXPECT_EQ(VisibleText("\xc2\x9b"), "\\x9b");  // the one-character CSI
  EXPECT_EQ(VisibleText("a\tb"), "a b");
}

TEST(VisibleText, ShowsInvalidUtf8) {
  EXPECT_EQ(VisibleText("\xff\xc3(\xe2\x82"), "\\xff\\xc3(\\xe2\\x82");
  EXPECT_EQ(VisibleText("\xc0\xaf"), "\\xc0\\xaf");                    // overlong
  EXPECT_EQ(VisibleText("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // surrogate
  EXPECT_EQ(VisibleText("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond Unicode
}

TEST(VisibleText, ShowsWhatReordersText) {
  EXPECT_EQ(VisibleText("user\xe2\x80\xaeyti"), "user\\u202eyti");
  EXPECT_EQ(VisibleText("a\xe2\x80\xa8z"), "a\\u2028z");
}

TEST(VisibleText, MayBeAppliedTwice) {
  const std::string once = VisibleText("\x1b]0;x\x07 \xff");
  EXPECT_EQ(VisibleText(once), once);
}

}  // namespace
}  // namespace app
