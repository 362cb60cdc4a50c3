// SPDX-License-Identifier: Apache-2.0
#include "operator/saved_logs/date_in_text.h"

#include <gtest/gtest.h>

namespace app {
namespace {

std::string Latest(std::string_view text) {
  const auto time = LatestDateIn(text);
  return time ? engine::FormatTime(*time) : "none";
}

TEST(DateInTextTest, TheLatestOfAll) {
  EXPECT_EQ(Latest("a 2026-03-01T10:00:00Z b\n[2026-03-02 09:08:07,123] c"),
            "2026-03-02T09:08:07Z");
  EXPECT_EQ(Latest("[Sun Mar  1 10:00:00 2026] x"), "2026-03-01T10:00:00Z");
  EXPECT_EQ(Latest("  time      : 2026-03-01_10:00:00"), "2026-03-01T10:00:00Z");
}

TEST(DateInTextTest, WhatNamesNoYearIsNone) {
  EXPECT_EQ(Latest("Mar  1 10:00:00 n1 kernel: x\nE0301 10:00:00.1 1 a.cc:1] x"), "none");
  EXPECT_EQ(Latest("release 2026-03-01"), "none");
  EXPECT_EQ(Latest("2026-13-41T99:00:00Z"), "none");
  EXPECT_EQ(Latest(""), "none");
}

}  // namespace
}  // namespace app
