// SPDX-License-Identifier: Apache-2.0
#include "operator/labelled_cases/thresholds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace app {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Thresholds, AreComparedWithAScore) {
  engine::ProblemList problems;
  const auto thresholds =
      ParseThresholds("t.yaml", "domainAccuracy: 0.98\nculpritAccuracy: 0.5\n", problems);
  ASSERT_TRUE(thresholds);
  Score score;
  score.cases = 100;
  score.domain_correct = 98;
  score.culprit_correct = 50;
  EXPECT_THAT(Missed(*thresholds, score), IsEmpty());
  score.domain_correct = 97;
  score.false_taints = 1;
  EXPECT_THAT(Missed(*thresholds, score),
              ElementsAre("domainAccuracy is 97.00 %; 98.00 % are demanded",
                          "falseTaints are 1; at most 0 are allowed"));
}

TEST(Thresholds, WrongOnesAreRefused) {
  for (const char* text : {"domainAccuracy: 98 %", "domainAccuracy: 98", "domainAccuracy: nan",
                           "falseTaints: -1", "domain: 0.9", "[]", "", "a: ["}) {
    engine::ProblemList problems;
    EXPECT_FALSE(ParseThresholds("t.yaml", text, problems)) << text;
    ASSERT_FALSE(problems.problems.empty()) << text;
    EXPECT_EQ(problems.problems[0].file, "t.yaml");
  }
}

}  // namespace
}  // namespace app
