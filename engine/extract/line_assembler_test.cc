// SPDX-License-Identifier: Apache-2.0
#include "engine/extract/line_assembler.h"

#include <gtest/gtest.h>

#include <vector>

namespace engine {
namespace {

std::vector<std::string> Lines(std::string_view text, std::size_t chunk, std::size_t max = 100) {
  std::vector<std::string> lines;
  LineAssembler assembler(max, [&](std::string_view block) {
    while (!block.empty()) {
      char end = 0;
      const std::string_view line = TakeLine(block, &end);
      if (!line.empty()) lines.emplace_back(line);
    }
  });
  for (std::size_t i = 0; i < text.size(); i += chunk) assembler.Feed(text.substr(i, chunk));
  assembler.Finish();
  return lines;
}

TEST(LineAssemblerTest, AnyChunkingGivesTheSameLines) {
  const std::string_view text = "one\ntwo\r\n 10%\r 20%\r\nlast without end";
  const std::vector<std::string> expected = {"one", "two", " 10%", " 20%", "last without end"};
  for (std::size_t chunk = 1; chunk <= text.size(); ++chunk)
    EXPECT_EQ(Lines(text, chunk), expected);
}

TEST(LineAssemblerTest, WhereALineBegins) {
  const std::string_view block = "one\ntwo\rthree\n";
  EXPECT_EQ(LineBegin(block, 0, 3), 0U);
  EXPECT_EQ(LineBegin(block, 0, 7), 4U);
  EXPECT_EQ(LineBegin(block, 0, 13), 8U);
  EXPECT_EQ(LineBegin(block, 9, 13), 9U) << "no further back than it is told";
}

TEST(LineAssemblerTest, LongLinesAreCutWhateverTheChunking) {
  const std::string fits(100, 'y');
  const std::string cut = std::string(100, 'x') + " [line cut]";
  const std::string text = "first\n" + std::string(1'000, 'x') + "\nnext\n" + fits + "\r" +
                           std::string(101, 'x') + "\n" + std::string(500, 'x') + "\n" + fits;
  for (std::size_t chunk = 1; chunk <= text.size(); ++chunk) {
    EXPECT_EQ(Lines(text, chunk, 100),
              (std::vector<std::string>{"first", cut, "next", fits, cut, cut, fits}))
        << chunk;
  }
}

TEST(LineAssemblerTest, CountsLineFeeds) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += i % 3 == 0 ? '\n' : i % 3 == 1 ? '\r' : 'x';
  for (const std::size_t size : {0U, 1U, 63U, 64U, 65U, 64U * 255U, 64U * 255U + 1U, 100'000U}) {
    EXPECT_EQ(CountLineFeeds(std::string_view(text).substr(0, size)), (size + 2) / 3) << size;
  }
}

}  // namespace
}  // namespace engine
