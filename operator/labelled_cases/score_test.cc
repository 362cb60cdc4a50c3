// SPDX-License-Identifier: Apache-2.0
#include "operator/labelled_cases/score.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "operator/labelled_cases/score_report.h"

namespace app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kBusLoss[] =
    "2025-09-11T03:14:22+0000 node-c kernel: NVRM: Xid (PCI:0000:9b:00): 79, pid='<unknown>', "
    "name=<unknown>, GPU has fallen off the bus.";

std::shared_ptr<const engine::Ruleset> Rules() {
  static const auto ruleset = engine::Ruleset::Load(engine::Ruleset::BuiltinDocuments()).ruleset;
  return ruleset;
}

LabelledCase BusLoss() {
  return {.file = "f.yaml",
          .id = "bus-loss",
          .nodes = {"node-b", "node-c"},
          .evidence = {{.source = engine::Source::kSyslog,
                        .node = "node-c",
                        .lines = {"2025-09-11T03:14:00+0000 node-c sshd[7]: hello", kBusLoss}}},
          .expected = {.root_symptom = "gpu-fallen-off-bus",
                       .failure_domain = "Hardware",
                       .also_acceptable_domains = {},
                       .culprit_nodes = {"node-c"},
                       .taint = true}};
}

TEST(Score, LinesWithTheKernelsTagProve) {
  const ScoredCase scored = ScoreCase(Rules(), BusLoss());
  EXPECT_EQ(scored.got.domain, "Hardware");
  EXPECT_THAT(scored.got.nodes, ElementsAre("node-c"));
  EXPECT_TRUE(scored.got.taint);
  EXPECT_TRUE(scored.domain_ok);
  EXPECT_TRUE(scored.culprit_ok);
  EXPECT_FALSE(scored.false_taint);
  EXPECT_FALSE(scored.missed_taint);
  EXPECT_THAT(scored.decided, HasSubstr("evidence[0] line 2 (Kernel, rule "));
}

TEST(Score, ATaintThatNobodyAskedForIsFalse) {
  LabelledCase one = BusLoss();
  one.expected.taint = false;
  EXPECT_TRUE(ScoreCase(Rules(), one).false_taint);
  one.expected.taint = true;
  one.expected.culprit_nodes = {"node-b"};
  const ScoredCase scored = ScoreCase(Rules(), one);
  EXPECT_TRUE(scored.false_taint) << "of the wrong node";
  EXPECT_FALSE(scored.culprit_ok);
}

TEST(Score, AnotherAcceptableDomainIsRight) {
  LabelledCase one = BusLoss();
  one.expected.failure_domain = "Platform";
  EXPECT_FALSE(ScoreCase(Rules(), one).domain_ok);
  one.expected.also_acceptable_domains = {"Hardware"};
  EXPECT_TRUE(ScoreCase(Rules(), one).domain_ok);
}

TEST(Score, NothingFoundIsUnknownInTheLabelsWords) {
  LabelledCase one = BusLoss();
  one.evidence[0].lines = {"nothing of interest"};
  const ScoredCase scored = ScoreCase(Rules(), one);
  EXPECT_EQ(scored.got.domain, "Unknown-needs-more-evidence");
  EXPECT_THAT(scored.got.nodes, IsEmpty());
  EXPECT_TRUE(scored.missed_taint);
}

TEST(Score, CancelledIsWhatAPersonAskedFor) {
  LabelledCase one = BusLoss();
  one.evidence = {{.source = engine::Source::kScheduler,
                   .node = "",
                   .lines = {"slurmstepd: error: *** JOB 3 ON node-b CANCELLED AT "
                             "2025-09-11T03:14:22 ***"}}};
  EXPECT_EQ(ScoreCase(Rules(), one).got.domain, "Cancelled");
  one.evidence[0].lines = {
      "slurmstepd: error: *** JOB 3 ON node-b CANCELLED AT 2025-09-11T03:14:22 DUE TO PREEMPTION "
      "***"};
  EXPECT_EQ(ScoreCase(Rules(), one).got.domain, "Platform");
}

TEST(Score, FoldsAreStable) {
  // zlib.crc32(b'bus-loss') % 4 in Python.
  EXPECT_EQ(FoldOf("bus-loss"), 0);
}

TEST(Score, SumsAndShares) {
  LabelledCase wrong = BusLoss();
  wrong.id = "wrong";
  wrong.expected.failure_domain = "User";
  wrong.expected.culprit_nodes = {};
  wrong.expected.taint = false;
  const std::vector<ScoredCase> cases = {ScoreCase(Rules(), BusLoss()), ScoreCase(Rules(), wrong)};
  const Score sum = SumOf(cases);
  EXPECT_EQ(sum.cases, 2);
  EXPECT_EQ(sum.false_taints, 1);
  EXPECT_DOUBLE_EQ(sum.DomainAccuracy(), 0.5);
  EXPECT_DOUBLE_EQ(sum.CulpritAccuracy(), 0.5);
  EXPECT_DOUBLE_EQ(sum.HardwarePrecision(), 0.5);
  EXPECT_DOUBLE_EQ(sum.HardwareRecall(), 1.0);
  EXPECT_DOUBLE_EQ(Score().DomainAccuracy(), 1.0) << "nothing to be wrong about";

  const auto json = ScoreJson(cases);
  EXPECT_EQ(json["cases"], 2);
  EXPECT_EQ(json["falseTaints"], 1);
  EXPECT_EQ(json["hardware"]["precision"], 0.5);
  EXPECT_EQ(json["results"][1]["id"], "wrong");
  EXPECT_EQ(json["results"][1]["got"]["domain"], "Hardware");
  EXPECT_EQ(json["results"][1]["got"]["nodes"][0], "node-c");
  EXPECT_EQ(json["results"][1]["domainOK"], false);

  const std::string text = ScoreText(cases);
  EXPECT_THAT(text, HasSubstr("FAIL wrong: FALSE TAINT; expected User, got Hardware"));
  EXPECT_THAT(text, HasSubstr("GPU has fallen off the bus"));
  EXPECT_THAT(text, testing::Not(HasSubstr("FAIL bus-loss")));
}

}  // namespace
}  // namespace app
