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
  const std::string text = std::string(1'000, 'x') + "\nnext\n";
  for (const std::size_t chunk : {1U, 7U, 99U, 100U, 101U, 500U}) {
    const auto lines = Lines(text, chunk, 100);
    ASSERT_EQ(lines.size(), 2U) << chunk;
    EXPECT_EQ(lines[0], std::string(100, 'x') + " [line cut]") << chunk;
    EXPECT_EQ(lines[1], "next");
  }
}

}  // namespace
}  // namespace engine
