// SPDX-License-Identifier: Apache-2.0
// The labelled cases in any order, in any pieces, from any number of threads.
#include <gtest/gtest.h>

#include "engine/any_order.h"
#include "engine/ruleset.h"
#include "operator/labelled_cases/labelled_case.h"

namespace app {
namespace {

TEST(OrderTest, DoesNotChangeTheVerdictOfAnyCase) {
  const auto ruleset = engine::Ruleset::Load(engine::Ruleset::BuiltinDocuments()).ruleset;
  ASSERT_NE(ruleset, nullptr);
  engine::ProblemList problems;
  const auto cases = ReadLabelledCases("tests/corpus", &problems.problems);
  ASSERT_TRUE(cases && !cases->empty());
  for (const LabelledCase& one : *cases) {
    engine::Workload workload;
    workload.name = one.id;
    workload.nodes = workload.exclusive_nodes = one.nodes;
    std::vector<engine::WholeLog> logs;
    for (const LabelledLog& evidence : one.evidence) {
      engine::WholeLog& log = logs.emplace_back();
      log.stream = {.id = std::to_string(logs.size()),
                    .source = evidence.source,
                    .node = evidence.node,
                    .first_failed = evidence.source == engine::Source::kAppLog};
      for (const std::string& line : evidence.lines) log.text += line + '\n';
    }
    engine::ExpectTheSameInAnyOrder(ruleset, workload, logs, one.id);
  }
}

}  // namespace
}  // namespace app
