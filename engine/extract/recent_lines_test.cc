// SPDX-License-Identifier: Apache-2.0
#include "engine/extract/recent_lines.h"

#include <gtest/gtest.h>

#include <string>

namespace engine {
namespace {

using Lines = std::vector<std::string>;

TEST(RecentLinesTest, BlocksMakeNoDifference) {
  RecentLines one(3, false);
  one.AddBlock("a\nb\r\n\nc\nd\n");
  RecentLines many(3, false);
  for (const char* block : {"a\n", "b\r", "\n", "\n", "c\n", "d\n"}) many.AddBlock(block);
  EXPECT_EQ(one.All(), (Lines{"b", "c", "d"}));
  EXPECT_EQ(many.All(), one.All());
}

TEST(RecentLinesTest, WhatStandsBeforeMayBeInEarlierBlocks) {
  RecentLines lines(5, false);
  lines.AddBlock("a\nb\n");
  const std::string_view block = "c\nhere\nlater\n";
  EXPECT_EQ(lines.Before(block, 2, 5, 100), (Lines{"a", "b", "c"}));
  EXPECT_EQ(lines.Before(block, 2, 2, 100), (Lines{"b", "c"}));
  EXPECT_EQ(lines.Before(block, 0, 5, 100), (Lines{"a", "b"}));
  EXPECT_EQ(lines.Before({}, 0, 1, 100), (Lines{"b"}));
}

TEST(RecentLinesTest, LinesAreVisibleCutAndWithoutTheKubeletsTime) {
  RecentLines lines(2, true);
  const std::string text = std::string("2026-12-01T04:00:00.1Z a") + '\0' + "b\nno time\n";
  lines.AddBlock(text);
  EXPECT_EQ(lines.All(), (Lines{"a\\x00b", "no time"}));
  EXPECT_EQ(lines.Before({}, 0, 1, 5), (Lines{"no..."}));
}

}  // namespace
}  // namespace engine
