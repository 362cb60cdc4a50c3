// SPDX-License-Identifier: Apache-2.0
// Whether the built-in rules are right as often as they must be.
#include <gtest/gtest.h>

#include <iostream>
#include <iterator>

#include "engine/ruleset.h"
#include "operator/commands/ruleset_files.h"
#include "operator/labelled_cases/labelled_case.h"
#include "operator/labelled_cases/score.h"
#include "operator/labelled_cases/score_report.h"
#include "operator/labelled_cases/thresholds.h"
#include "operator/text_file.h"

namespace app {
namespace {

// The cases of all the folders or files.
void ExpectReached(const std::vector<std::string>& folders, const std::string& thresholds_file,
                   std::size_t at_least_cases) {
  const auto ruleset = engine::Ruleset::Load(engine::Ruleset::BuiltinDocuments()).ruleset;
  ASSERT_NE(ruleset, nullptr);
  engine::ProblemList problems;
  std::string text;
  std::string error;
  ASSERT_TRUE(ReadTextFile(thresholds_file, &text, &error)) << thresholds_file << ": " << error;
  const auto thresholds = ParseThresholds(thresholds_file, text, problems);
  std::vector<LabelledCase> cases;
  for (const std::string& folder : folders) {
    auto some = ReadLabelledCases(folder, &problems.problems);
    if (some) std::move(some->begin(), some->end(), std::back_inserter(cases));
  }
  for (const engine::RulesetProblem& problem : problems.problems) {
    ADD_FAILURE() << ProblemText(problem, "error");
  }
  ASSERT_TRUE(thresholds && problems.problems.empty());
  EXPECT_GE(cases.size(), at_least_cases);
  std::vector<ScoredCase> scored;
  for (LabelledCase& one : cases) scored.push_back(ScoreCase(ruleset, std::move(one)));
  std::cout << ScoreText(scored);
  for (const std::string& missed : Missed(*thresholds, SumOf(scored))) ADD_FAILURE() << missed;
}

TEST(Accuracy, OnTheCorpus) {
  ExpectReached({"tests/corpus"}, "tests/accuracy/corpus_thresholds.yaml", 228);
}

TEST(Accuracy, OnReplaysThatBlameNoNode) {
  ExpectReached({ATTRIBUTION_REPLAY_PAIRS, "tests/replays/fleets.yaml"},
                "tests/accuracy/replays_thresholds.yaml", 300);
}

}  // namespace
}  // namespace app
