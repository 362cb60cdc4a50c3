// SPDX-License-Identifier: Apache-2.0
#include "engine/rules/circles.h"

#include <fmt/format.h>

#include <string>

#include "engine/rules/load_fixture.h"

namespace engine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

RefinerRule Explains(const std::string& cause, const std::vector<std::string>& effects) {
  return {.name = cause + "-explains", .explain = ExplainRule{.cause = cause, .effects = effects}};
}
RefinerRule Makes(const std::vector<std::string>& parts, const std::string& result) {
  return {.name = "makes-" + result, .combine = CombineRule{.all = parts, .result = result}};
}
RefinerRule Escalates(const std::string& symptom, const std::string& result) {
  return {.name = "escalates-" + symptom,
          .escalate = EscalateRule{.symptom = symptom, .result = result}};
}
RefinerRule Prefers(const std::string& symptom, const std::string& over) {
  return {.name = symptom + "-first", .prefer = PreferRule{.symptom = symptom, .over = {over}}};
}

std::vector<std::string> Circles(std::vector<RefinerRule> refiners) {
  RuleModel model;
  model.refiners = std::move(refiners);
  std::vector<RulesetProblem> problems;
  const RulePlaces places;
  PlacedProblems placed(places, problems);
  CheckCircles(model, placed);
  std::vector<std::string> words;
  for (const RulesetProblem& problem : problems) {
    words.push_back(problem.path + " (" + problem.rule + "): " + problem.message);
  }
  return words;
}

TEST(CirclesTest, ExplanationsMakeNone) {
  EXPECT_THAT(Circles({Explains("a", {"b", "c"}), Explains("b", {"c"}), Explains("c", {"d"})}),
              IsEmpty());
  EXPECT_THAT(Circles({Explains("a", {"a"})}),
              ElementsAre("explain (a-explains): symptoms that explain themselves leave no root: a "
                          "-> a; break the circle"));
  // What leads to the circle is not of it.
  EXPECT_THAT(Circles({Explains("a", {"b"}), Explains("b", {"x", "c"}), Explains("c", {"d"}),
                       Explains("d", {"b"})}),
              ElementsAre("explain (d-explains): symptoms that explain themselves leave no root: b "
                          "-> c -> d -> b; break the circle"));
}

TEST(CirclesTest, NothingIsMadeOfItself) {
  EXPECT_THAT(Circles({Makes({"a", "b"}, "c"), Makes({"c", "a"}, "d"), Escalates("d", "e")}),
              IsEmpty());
  EXPECT_THAT(Circles({Makes({"a", "b"}, "c"), Escalates("c", "b")}),
              ElementsAre("combine (makes-c): symptoms are made of themselves: c -> b -> c; "
                          "break the circle"));
}

TEST(CirclesTest, NothingPrecedesItself) {
  EXPECT_THAT(Circles({Prefers("a", "b"), Prefers("b", "c")}), IsEmpty());
  EXPECT_THAT(Circles({Prefers("a", "b"), Prefers("b", "a")}),
              ElementsAre("prefer (b-first): symptoms are preferred to themselves: a -> b -> a; "
                          "break the circle"));
}

TEST(CirclesTest, TheKindsAreApart) {
  EXPECT_THAT(Circles({Explains("a", {"b"}), Makes({"b"}, "a"), Prefers("b", "a")}), IsEmpty());
}

TEST(CirclesTest, LongChainsAreNoDanger) {
  std::vector<RefinerRule> chain;
  for (int i = 0; i < 100'000; ++i) {
    chain.push_back(Explains(fmt::format("s{}", i), {fmt::format("s{}", i + 1)}));
  }
  EXPECT_THAT(Circles(chain), IsEmpty());
}

}  // namespace
}  // namespace engine
