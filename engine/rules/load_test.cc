// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "engine/ruleset.h"

namespace engine {
namespace {

constexpr char kGood[] = R"(
catalog:
- {id: a, title: A, domain: User, role: Root, scope: Process, establishedBy: [AppLog]}
extractors:
- name: finds-a
  symptom: a
  sources: [AppLog]
  match: 'alpha (?P<value>\d+)'
  examples: {match: ['alpha 1'], noMatch: ['beta']}
tests:
- name: alpha
  evidence: [{source: AppLog, lines: ['alpha 1']}]
  expect: {result: Failed, domain: User, symptom: a, rule: finds-a}
)";

std::string Replaced(const std::string& from, const std::string& to) {
  std::string text = kGood;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

// "path (rule) line: message" of the first problem.
std::string Problem(const std::string& text) {
  const RulesetLoad load = Ruleset::Load({{"site", text}});
  EXPECT_EQ(load.ruleset, nullptr);
  if (load.problems.empty()) return "no problem";
  const RulesetProblem& problem = load.problems.front();
  EXPECT_EQ(problem.file, "site");
  return problem.path + " (" + problem.rule + ") " + std::to_string(problem.line) + ": " +
         problem.message;
}

TEST(LoadTest, AGoodRulesetLoadsAndItsTestsRun) {
  const RulesetLoad load = Ruleset::Load({{"site", kGood}});
  ASSERT_NE(load.ruleset, nullptr);
  EXPECT_EQ(load.ruleset->RuleCount(), 1U);
  EXPECT_EQ(load.ruleset->Digest().substr(0, 7), "sha256:");
  const RulesetTestReport report = RunEmbeddedTests(load.ruleset);
  EXPECT_EQ(report.passed, 3);
  EXPECT_TRUE(report.failures.empty());
}

TEST(LoadTest, AFailingTestSaysWhatItExpectedAndGot) {
  const RulesetLoad load =
      Ruleset::Load({{"site", Replaced("domain: User, symptom", "domain: Storage, symptom")}});
  ASSERT_NE(load.ruleset, nullptr);
  const RulesetTestReport report = RunEmbeddedTests(load.ruleset);
  ASSERT_EQ(report.failures.size(), 1U);
  EXPECT_EQ(report.failures[0].message,
            "domain: expected \"Storage\", got \"User\" (decided by finds-a: alpha 1)");
}

TEST(LoadTest, ProblemsNamePlaceRuleAndRemedy) {
  EXPECT_EQ(Problem(Replaced("symptom: a\n", "symptom: b\n")),
            "extractors[0].symptom (finds-a) 5: symptom \"b\" is not in the catalog; add it there "
            "or name another");
  EXPECT_EQ(Problem(Replaced("alpha (?P<value>\\d+)", "alpha (")),
            "extractors[0].match (finds-a) 5: is no RE2 regular expression: missing ): alpha (");
  EXPECT_EQ(Problem(Replaced("match: 'alpha", "pattern: x\n  match: 'alpha")).substr(0, 62),
            "extractors[0].pattern (finds-a) 8: unknown field; known are co");
  EXPECT_EQ(Problem(Replaced("(?P<value>", "(?P<thing>")).substr(0, 71),
            "extractors[0].match (finds-a) 5: group \"thing\" is not known; known are ");
  EXPECT_EQ(Problem(Replaced("  examples: {match: ['alpha 1'], noMatch: ['beta']}\n", "")),
            "extractors[0].examples (finds-a) 5: is required");
  EXPECT_EQ(Problem(Replaced("[AppLog]\n", "[Rumour]\n")).substr(0, 61),
            "extractors[0].sources (finds-a) 7: \"Rumour\" is no source; one");
  EXPECT_EQ(Problem(Replaced("'alpha (?P<value>\\d+)'", "'\\d+ \\w+'")).substr(0, 70),
            "extractors[0].match (finds-a) 5: has no literal of at least 4 bytes th");
  EXPECT_EQ(Problem(Replaced("role: Root", "role: Boss")),
            "catalog[0].role (a) 3: is \"Boss\"; one of Root, Ambiguous, Cascade, Teardown, Benign "
            "is expected");
  EXPECT_EQ(Problem(Replaced("establishedBy: [AppLog]", "establishedBy: [AppLog], taint: \"Yes\""))
                .substr(0, 60),
            "catalog[0].taint (a) 3: \"Yes\" needs a source in establishedB");
}

TEST(LoadTest, HostileDocumentsAreRefused) {
  EXPECT_NE(Problem("a: &x [1]\nb: *x\n").find("aliases are not allowed"), std::string::npos);
  EXPECT_NE(Problem("catalog: []\ncatalog: []\n").find("\"catalog\" stands twice"),
            std::string::npos);
  EXPECT_NE(Problem(std::string(100, '[') + std::string(100, ']')).find("more than 32 levels"),
            std::string::npos);
  EXPECT_NE(Problem(std::string(5 << 20, 'x')).find("larger than 4 MiB"), std::string::npos);
  EXPECT_NE(Problem("a: [").find("site"), 0U);
  EXPECT_NE(Problem("kind: Pod\n").find("AttributionRuleset is expected"), std::string::npos);
}

TEST(LoadTest, LaterDocumentsWinByName) {
  const RulesetLoad load = Ruleset::Load(
      {{"first", kGood},
       {"second",
        "catalog:\n- {id: a, title: Other, domain: Storage, role: Root, scope: Process}\n"}});
  ASSERT_NE(load.ruleset, nullptr);
  EXPECT_EQ(load.ruleset->FindSymptom("a")->title, "Other");
  EXPECT_EQ(load.ruleset->Catalog().size(), 1U);
}

TEST(LoadTest, ExplanationsMakeNoCircle) {
  const std::string circle = std::string(kGood) + R"(
refiners:
- {name: r, explain: {cause: a, effects: [a]}}
)";
  EXPECT_EQ(
      Problem(circle),
      "refiners[0].explain (r) 16: symptoms that explain themselves leave no root: a -> a; break "
      "the circle");
}

}  // namespace
}  // namespace engine
