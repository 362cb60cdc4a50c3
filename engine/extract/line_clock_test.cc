// SPDX-License-Identifier: Apache-2.0
#include "engine/extract/line_clock.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace engine {
namespace {

// Lines "t7" have the time 7.
Prefix Read(std::string_view line) {
  Prefix prefix;
  if (line.starts_with('t')) {
    prefix.clock = Clock::kAbsolute;
    prefix.time = Time(std::chrono::seconds(std::stoi(std::string(line.substr(1)))));
  }
  return prefix;
}

// The times above the lines "?" of a stream that comes in blocks of so many lines; -1: none.
std::vector<int> Ask(const std::vector<std::string>& lines, std::size_t block_lines) {
  LineClock clock;
  std::vector<int> answers;
  const auto answer = [&](const std::optional<Prefix>& above) {
    answers.push_back(
        above ? static_cast<int>(above->time.time_since_epoch().count() / 1'000'000'000) : -1);
  };
  for (std::size_t at = 0; at < lines.size(); at += block_lines) {
    std::string block;
    std::vector<std::size_t> questions;
    for (std::size_t i = at; i < std::min(lines.size(), at + block_lines); ++i) {
      if (lines[i] == "?") questions.push_back(block.size());
      block += lines[i] + "\n";
    }
    clock.BeginBlock();
    for (const std::size_t question : questions) answer(clock.Above(block, question, Read));
    clock.Above(block, block.size(), Read);
  }
  return answers;
}

TEST(LineClockTest, TheNearestTimeAbove) {
  const std::vector<std::string> lines = {"?", "t1", "x", "?", "t2", "t3", "", "?", "?", "x", "?"};
  for (std::size_t block = 1; block <= lines.size(); ++block) {
    EXPECT_EQ(Ask(lines, block), (std::vector<int>{-1, 1, 3, 3, 3})) << block;
  }
}

TEST(LineClockTest, WhatIsFarAboveSaysNothing) {
  for (const int gap : {100, 126, 127, 128, 129, 200, 1000}) {
    std::vector<std::string> lines = {"t1"};
    lines.insert(lines.end(), static_cast<std::size_t>(gap), "x");
    lines.emplace_back("?");
    const std::vector<int> expected = {gap < 128 ? 1 : -1};
    for (const std::size_t block : {1U, 7U, 100U, 256U, 5000U}) {
      EXPECT_EQ(Ask(lines, block), expected) << gap << ' ' << block;
    }
  }
}

TEST(LineClockTest, LineByLine) {
  LineClock clock;
  EXPECT_FALSE(clock.Above());
  clock.See(Read("t4"));
  clock.See(Read("x"));
  ASSERT_TRUE(clock.Above());
  EXPECT_EQ(clock.Above()->time, Time(std::chrono::seconds(4)));
}

}  // namespace
}  // namespace engine
