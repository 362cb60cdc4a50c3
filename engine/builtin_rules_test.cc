// SPDX-License-Identifier: Apache-2.0
// The rules compiled in: they load, and each example and test of theirs passes.
#include <gtest/gtest.h>

#include "engine/ruleset.h"

namespace engine {
namespace {

TEST(BuiltinRulesTest, LoadAndPassTheirOwnTests) {
  const RulesetLoad load = Ruleset::Load(Ruleset::BuiltinDocuments());
  for (const RulesetProblem& problem : load.problems) {
    ADD_FAILURE() << problem.file << ':' << problem.line << ": " << problem.path << " ("
                  << problem.rule << "): " << problem.message;
  }
  ASSERT_NE(load.ruleset, nullptr);
  const RulesetTestReport report = RunEmbeddedTests(load.ruleset);
  for (const RulesetTestFailure& failure : report.failures) {
    ADD_FAILURE() << failure.path << " (" << failure.rule << "): " << failure.message;
  }
  EXPECT_GT(report.passed, 500);
}

TEST(BuiltinRulesTest, TheWalkthroughsSymptomIsThere) {
  const RulesetLoad load = Ruleset::Load(Ruleset::BuiltinDocuments());
  ASSERT_NE(load.ruleset, nullptr);
  const CatalogEntry* const entry = load.ruleset->FindSymptom("cudaerror-out-of-memory");
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->title, "cudaError out of memory");
  EXPECT_EQ(entry->domain, Domain::kUser);
}

}  // namespace
}  // namespace engine
