// SPDX-License-Identifier: Apache-2.0
#include "operator/labelled_cases/labelled_case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kCase[] = R"(id: a-1
source: a public thread
workload: {framework: pytorch, nodes: {node-a: [0, 1], node-b: [2]}}
evidence:
- {source: syslog, node: node-a, lines: ['one', '']}
- {source: k8s-event, node: cluster, lines: ['two']}
expected:
  root_symptom: some-symptom
  failure_domain: Platform
  also_acceptable_domains: [Cancelled]
  culprit_nodes: [node-b, node-a]
  taint: false
rationale: because
)";

TEST(LabelledCase, IsRead) {
  engine::ProblemList problems;
  const auto cases = ParseLabelledCases("f.yaml", kCase, problems);
  ASSERT_THAT(problems.problems, IsEmpty());
  ASSERT_EQ(cases.size(), 1U);
  const LabelledCase& one = cases.front();
  EXPECT_EQ(one.id, "a-1");
  EXPECT_THAT(one.nodes, ElementsAre("node-a", "node-b"));
  ASSERT_EQ(one.evidence.size(), 2U);
  EXPECT_EQ(one.evidence[0].source, engine::Source::kSyslog);
  EXPECT_EQ(one.evidence[0].node, "node-a");
  EXPECT_THAT(one.evidence[0].lines, ElementsAre("one", ""));
  EXPECT_EQ(one.evidence[1].source, engine::Source::kEvent);
  EXPECT_EQ(one.evidence[1].node, "") << "the cluster's";
  EXPECT_EQ(one.expected.failure_domain, "Platform");
  EXPECT_THAT(one.expected.also_acceptable_domains, ElementsAre("Cancelled"));
  EXPECT_THAT(one.expected.culprit_nodes, ElementsAre("node-a", "node-b"));
  EXPECT_FALSE(one.expected.taint);
}

TEST(LabelledCase, SeveralStandInOneFile) {
  engine::ProblemList problems;
  const auto cases = ParseLabelledCases(
      "f.yaml", std::string(kCase) + "---\n" + "id: a-2\n" + std::string(kCase).substr(8),
      problems);
  ASSERT_EQ(cases.size(), 2U);
  EXPECT_EQ(cases[1].id, "a-2");
}

TEST(LabelledCase, ProblemsNameFileAndField) {
  struct Wrong {
    const char* from;
    const char* to;
    const char* path;
    const char* message;
  };
  const Wrong cases[] = {
      {"id: a-1", "id: ''", "id", "is required"},
      {"source: syslog", "source: sysloog", "evidence[0].source", "\"sysloog\" is no source"},
      {"lines: ['two']", "line: ['two']", "evidence[1].lines", "is required"},
      {"failure_domain: Platform", "failure_domain: platform", "expected.failure_domain",
       "is \"platform\""},
      {"[Cancelled]", "[Canceled]", "expected.also_acceptable_domains", "\"Canceled\" is none"},
      {"culprit_nodes", "culprits", "expected.culprit_nodes", "is required"},
      {"taint: false", "taint: maybe", "expected.taint", "is \"maybe\""},
      {"nodes: {node-a: [0, 1], node-b: [2]}", "nodes: [node-a]", "workload.nodes",
       "expected a map"},
  };
  for (const Wrong& wrong : cases) {
    std::string text = kCase;
    text.replace(text.find(wrong.from), std::string(wrong.from).size(), wrong.to);
    engine::ProblemList problems;
    ParseLabelledCases("f.yaml", text, problems);
    ASSERT_FALSE(problems.problems.empty()) << wrong.to;
    const engine::RulesetProblem& problem = problems.problems.front();
    EXPECT_EQ(problem.file, "f.yaml");
    EXPECT_EQ(problem.path, wrong.path);
    EXPECT_THAT(problem.message, HasSubstr(wrong.message));
    EXPECT_GT(problem.line, 0);
  }
}

TEST(LabelledCase, UnreadableFilesAreNamed) {
  std::vector<engine::RulesetProblem> problems;
  EXPECT_FALSE(ReadLabelledCases("no-such-folder", &problems));
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].file, "no-such-folder");
  engine::ProblemList list;
  EXPECT_THAT(ParseLabelledCases("f.yaml", "id: [", list), IsEmpty());
  ASSERT_EQ(list.problems.size(), 1U);
  EXPECT_EQ(list.problems[0].file, "f.yaml");
}

}  // namespace
}  // namespace app
