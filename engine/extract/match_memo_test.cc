// SPDX-License-Identifier: Apache-2.0
#include "engine/extract/match_memo.h"

#include <gtest/gtest.h>

namespace engine {
namespace {

TEST(MatchMemoTest, KnowsWhatWasPutInAndNothingElse) {
  MatchMemo memo;
  EXPECT_EQ(memo.Find(Source::kAppLog, "a"), nullptr);
  memo.Put(Source::kAppLog, "a", {1, 2});
  memo.Put(Source::kKernel, "b", {});
  ASSERT_NE(memo.Find(Source::kAppLog, "a"), nullptr);
  EXPECT_EQ(*memo.Find(Source::kAppLog, "a"), (std::vector<int>{1, 2}));
  EXPECT_TRUE(memo.Find(Source::kKernel, "b")->empty());
  EXPECT_EQ(memo.Find(Source::kKernel, "a"), nullptr);
  EXPECT_EQ(memo.Find(Source::kAppLog, ""), nullptr);
  EXPECT_EQ(memo.Find(Source::kAppLog, "a "), nullptr);
}

TEST(MatchMemoTest, ForgetsRatherThanMixes) {
  MatchMemo memo;
  for (int i = 0; i < 100'000; ++i) {
    const std::string message = std::to_string(i);
    memo.Put(Source::kAppLog, message, {i});
    ASSERT_NE(memo.Find(Source::kAppLog, message), nullptr);
    const auto* const earlier = memo.Find(Source::kAppLog, std::to_string(i / 2));
    if (earlier != nullptr) {
      ASSERT_EQ(*earlier, std::vector<int>{i / 2});
    }
  }
  const std::string endless(100'000, 'x');
  memo.Put(Source::kAppLog, endless, {1});
  EXPECT_EQ(memo.Find(Source::kAppLog, endless), nullptr);
}

}  // namespace
}  // namespace engine
