// SPDX-License-Identifier: Apache-2.0
#include "engine/refine/explain.h"

#include "engine/refine/refinement_fixture.h"

namespace engine {
namespace {

using ExplainTest = RefinementFixture;

constexpr char kRule[] =
    "- {name: r, explain: {cause: root, effects: [effect, user], scope: Node, "
    "beforeSeconds: 60, afterSeconds: 5}}\n";

int ExplainedBy(const Refinement& refinement, const std::string& symptom) {
  return refinement.findings[static_cast<std::size_t>(refinement.Of(symptom).front())].explained_by;
}

TEST_F(ExplainTest, ACauseExplainsItsEffectsInTimeAndPlace) {
  const auto explained = [&](const Event& effect) {
    Refinement& refinement = Refine(kRule, {At("root", "n1", 100), effect});
    Explain(refinement);
    return ExplainedBy(refinement, effect.symptom) >= 0;
  };
  EXPECT_TRUE(explained(App("effect", "n1", 130)));
  EXPECT_TRUE(explained(App("user", "n1", 97))) << "logged a little earlier";
  EXPECT_FALSE(explained(App("effect", "n1", 161))) << "too long after";
  EXPECT_FALSE(explained(App("effect", "n1", 94))) << "too long before";
  EXPECT_FALSE(explained(App("effect", "n2", 130))) << "elsewhere";
  EXPECT_FALSE(explained(App("maybe", "n1", 130))) << "not an effect of it";
}

TEST_F(ExplainTest, AnUndatedLineMayBeYoungEnough) {
  Event undated = App("effect", "n1", 10);
  undated.time_is_floor = true;
  Refinement& early = Refine(kRule, {At("root", "n1", 100), undated});
  Explain(early);
  EXPECT_GE(ExplainedBy(early, "effect"), 0);
  undated.time = Time(std::chrono::seconds(161));
  Refinement& late = Refine(kRule, {At("root", "n1", 100), undated});
  Explain(late);
  EXPECT_LT(ExplainedBy(late, "effect"), 0);
}

TEST_F(ExplainTest, TheOrderWithinALogDecidesWhereOnlyOneIsPossible) {
  const auto explained = [&](std::int64_t cause_line, std::int64_t effect_line) {
    Event cause = App("maybe", "n1", 0);
    Event effect = App("effect", "n1", 0);
    cause.clock = effect.clock = Clock::kNone;
    cause.line_number = cause_line;
    effect.line_number = effect_line;
    Refinement& refinement = Refine(
        "- {name: r, explain: {cause: maybe, effects: [effect], beforeSeconds: 0, afterSeconds: "
        "60}}\n",
        {cause, effect});
    Explain(refinement);
    return ExplainedBy(refinement, "effect") >= 0;
  };
  EXPECT_TRUE(explained(20, 10));
  EXPECT_FALSE(explained(10, 20));
}

TEST_F(ExplainTest, TheEarliestCauseCounts) {
  Refinement& refinement =
      Refine(kRule, {At("root", "n1", 110), At("root", "n1", 100), App("effect", "n1", 120)});
  Explain(refinement);
  EXPECT_EQ(ExplainedBy(refinement, "effect"), 0);
}

TEST_F(ExplainTest, NothingExplainsItselfThroughOthers) {
  Refinement& refinement =
      Refine("- {name: r, explain: {cause: root, effects: [derived]}}\n", {At("root", "n1", 100)});
  refinement.AddDerived(At("derived", "n1", 100), {0});
  Explain(refinement);
  EXPECT_EQ(refinement.findings[0].explained_by, 1);
  EXPECT_EQ(refinement.findings[1].explained_by, -1);
}

}  // namespace
}  // namespace engine
