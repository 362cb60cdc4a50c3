// SPDX-License-Identifier: Apache-2.0
#include "engine/refine/combine.h"

#include "engine/refine/refinement_fixture.h"

namespace engine {
namespace {

using CombineTest = RefinementFixture;

constexpr char kRule[] =
    "- {name: proof, combine: {all: [inducible, other], none: [maybe], scope: Node, "
    "withinSeconds: 60, result: derived}}\n";

TEST_F(CombineTest, AllTogetherAreTheResult) {
  Refinement& refinement = Refine(kRule, {At("inducible", "n1", 100), At("other", "n1", 90)});
  Combine(refinement);
  ASSERT_EQ(refinement.findings.size(), 3U);
  const Finding& derived = refinement.findings[2];
  EXPECT_EQ(derived.event.symptom, "derived");
  EXPECT_EQ(derived.event.rule, "proof");
  EXPECT_EQ(derived.event.trust, Trust::kNode);
  EXPECT_EQ(derived.event.time, Time(std::chrono::seconds(90))) << "when it began";
  EXPECT_EQ(refinement.findings[0].explained_by, 2);
  EXPECT_EQ(refinement.findings[1].explained_by, 2);
}

TEST_F(CombineTest, NotElsewhereNotMuchLaterNotWithWhatSpeaksAgainstIt) {
  const auto derived = [&](std::vector<Event> events) {
    const std::size_t before = events.size();
    Refinement& refinement = Refine(kRule, std::move(events));
    Combine(refinement);
    return refinement.findings.size() - before;
  };
  EXPECT_EQ(derived({At("inducible", "n1", 100), At("other", "n2", 100)}), 0U);
  EXPECT_EQ(derived({At("inducible", "n1", 100), At("other", "n1", 161)}), 0U);
  EXPECT_EQ(derived({At("inducible", "n1", 100)}), 0U);
  EXPECT_EQ(derived({At("inducible", "n1", 100), At("other", "n1", 100), At("maybe", "n1", 100)}),
            0U);
  // An earlier one that nothing fits with doesn't stand in the way.
  EXPECT_EQ(derived({At("inducible", "n1", 1), At("inducible", "n1", 100), At("other", "n1", 100)}),
            1U);
  // One at each place.
  EXPECT_EQ(derived({At("inducible", "n1", 100), At("other", "n1", 100), At("inducible", "n2", 100),
                     At("other", "n2", 100)}),
            2U);
}

TEST_F(CombineTest, AConclusionIsWorthItsWeakestPart) {
  Refinement& weak = Refine(kRule, {At("inducible", "n1", 100), App("other", "n1", 100)});
  Combine(weak);
  ASSERT_EQ(weak.findings.size(), 3U);
  EXPECT_EQ(weak.findings[2].event.trust, Trust::kWorkload);
  // A claim that came first doesn't hide the proof.
  Refinement& strong = Refine(kRule, {App("inducible", "n1", 80), At("inducible", "n1", 100),
                                      App("other", "n1", 90), At("other", "n1", 110)});
  Combine(strong);
  ASSERT_EQ(strong.findings.size(), 5U);
  EXPECT_EQ(strong.findings[4].event.trust, Trust::kNode);
}

TEST_F(CombineTest, AbsenceCountsOnlyWhereAllWasRead) {
  constexpr char kAbsence[] =
      "- {name: r, combine: {all: [effect], none: [maybe], coverage: [Kernel], scope: Node, "
      "result: derived}}\n";
  Refinement& unread = Refine(kAbsence, {App("effect", "n1", 100)});
  Combine(unread);
  EXPECT_EQ(unread.findings.size(), 1U);
  evidence_[Source::kKernel] = {.source = Source::kKernel, .complete = 1};
  Refinement& read = Refine(kAbsence, {App("effect", "n1", 100)});
  Combine(read);
  EXPECT_EQ(read.findings.size(), 2U);
}

TEST_F(CombineTest, AllRanksButOne) {
  constexpr char kRanks[] =
      "- {name: r, combine: {all: [effect], ranks: AllButOne, scope: Workload, result: derived}}\n";
  const auto derived = [&](const std::vector<int>& ranks, int heard_of) {
    std::vector<Event> events;
    for (const int rank : ranks) {
      events.push_back(App("effect", "n1", 100));
      events.back().rank = rank;
    }
    if (heard_of >= 0) {
      events.push_back(App("user", "n1", 100));
      events.back().rank = heard_of;
    }
    const std::size_t before = events.size();
    Refinement& refinement = Refine(kRanks, std::move(events));
    Combine(refinement);
    return refinement.findings.size() > before;
  };
  EXPECT_TRUE(derived({0, 2, 3}, -1)) << "rank 1 was never heard of";
  EXPECT_TRUE(derived({0, 1, 2}, 3));
  EXPECT_FALSE(derived({0, 1, 2}, -1)) << "nobody knows of a rank 3";
  EXPECT_FALSE(derived({0, 3}, -1));
  EXPECT_FALSE(derived({1}, 0)) << "one of two is no majority";
}

}  // namespace
}  // namespace engine
