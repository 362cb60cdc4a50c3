// SPDX-License-Identifier: Apache-2.0
#include "engine/authoring/measure_rules.h"

#include <gtest/gtest.h>

namespace engine {
namespace {

TEST(MeasureRulesTest, CountsWhatIsTriedAndWhatMatches) {
  const auto ruleset = Ruleset::Load({{"test", R"(
catalog:
- {id: a, title: A, domain: User, role: Root, scope: Process, establishedBy: [AppLog]}
extractors:
- {name: words, symptom: a, sources: [AppLog], match: 'disk \w+ is gone', examples: {match: ['disk sda is gone'], noMatch: ['x']}}
- {name: elsewhere, symptom: a, sources: [Kernel], match: 'is gone', examples: {match: ['is gone'], noMatch: ['x']}}
collectors:
- {name: version, sources: [AppLog], match: 'version (?P<value>\S+)', take: First}
)"}}).ruleset;
  ASSERT_NE(ruleset, nullptr);
  const RuleCosts costs = MeasureRules(
      ruleset, Source::kAppLog,
      "all is well\ndisk sda is gone\nthe cat is gone\nversion 3\nversion 4, disk sdb is gone");
  EXPECT_EQ(costs.lines, 5);
  ASSERT_EQ(costs.rules.size(), 2U);
  for (const RuleCost& cost : costs.rules) {
    if (cost.rule == "version") {
      EXPECT_EQ(cost.tried, 2);
      EXPECT_EQ(cost.matched, 2);
    } else {
      EXPECT_EQ(cost.rule, "words");
      EXPECT_EQ(cost.matched, 2);
      EXPECT_GE(cost.tried, 2);
    }
  }
}

}  // namespace
}  // namespace engine
