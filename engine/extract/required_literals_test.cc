// SPDX-License-Identifier: Apache-2.0
#include "engine/extract/required_literals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace engine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

TEST(RequiredLiteralsTest, OneOfEachAlternative) {
  EXPECT_THAT(RequiredLiterals("Segmentation|Bus fault"), ElementsAre("bus faul", "segmentati"));
}

TEST(RequiredLiteralsTest, OfSeveralThatAreNeededTheOneThatTellsMost) {
  EXPECT_THAT(RequiredLiterals("Error: .*ENODEV"), ElementsAre("enodev"));
  EXPECT_THAT(RequiredLiterals("RuntimeError.*(?:quick|brown).*warning"),
              ElementsAre("brown", "quick"));
}

TEST(RequiredLiteralsTest, NoneForWhatWouldBeTriedOnEveryLine) {
  for (const char* pattern :
       {"", "\\d+", "a.*b.*c", "abc", "^.*$", "(?:long text)?", "text|\\w+"}) {
    EXPECT_THAT(RequiredLiterals(pattern), IsEmpty()) << pattern;
  }
}

TEST(RequiredLiteralsTest, AreOfModerateLength) {
  const std::vector<std::string> literals = RequiredLiterals(std::string(500, 'x'));
  ASSERT_THAT(literals, SizeIs(1));
  EXPECT_LE(literals[0].size(), 32U);
  EXPECT_GE(literals[0].size(), 8U);
}

TEST(RequiredLiteralsTest, ManyAlternativesAreAllThere) {
  std::string pattern = "begin(?:0zzz";
  for (int i = 1; i < 100; ++i) pattern += "|" + std::to_string(i) + "zzz";
  EXPECT_THAT(RequiredLiterals(pattern + ")"), Not(IsEmpty()));
}

}  // namespace
}  // namespace engine
