// SPDX-License-Identifier: Apache-2.0
#include "controllers/attribution/verdict_status.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace controllers {
namespace {

using kube::Json;

engine::Attribution HardwareVerdict() {
  engine::Attribution attribution;
  attribution.verdict = {.result = engine::Result::kFailed,
                         .domain = engine::Domain::kHardware,
                         .evidence_level = engine::EvidenceLevel::kEstablished,
                         .symptom = "xid-79",
                         .culprit = {.node = "n1", .pci_address = "0000:3b:00", .rank = 2},
                         .message = "GPU 0000:3b:00 on n1 fell off the bus.",
                         .actions = {"drain-node"},
                         .node_fault = true};
  attribution.root = engine::RootLine{.source = engine::Source::kKernel,
                                      .trust = engine::Trust::kNode,
                                      .object = "node/n1",
                                      .rule = "xid",
                                      .time = *engine::ParseRfc3339("2026-12-01T04:00:00.5Z"),
                                      .line_number = 7,
                                      .line = "NVRM: Xid (PCI:0000:3b:00): 79",
                                      .before = {"a"},
                                      .after = {"b"}};
  attribution.symptoms = {{.id = "s1", .symptom = "xid-79", .node = "n1", .count = 1},
                          {.id = "s2",
                           .symptom = "nccl-timeout",
                           .role = engine::Role::kCascade,
                           .count = 3,
                           .explained_by = "s1"}};
  attribution.nodes = {{"n1", engine::NodeReport::NodeRole::kCulprit}};
  attribution.evidence = {{.source = engine::Source::kKernel, .complete = 2, .lines = 10}};
  return attribution;
}

TEST(StatusFieldsTest, SaysWhatTheEngineSaid) {
  const Json status = StatusFields(HardwareVerdict(), {.pods = 2, .nodes = 2, .gpus = 16}, "p",
                                   {{"builtin", 0, "sha256:x"}});
  EXPECT_EQ(status["verdict"]["result"], "Failed");
  EXPECT_EQ(status["verdict"]["culprit"],
            Json::parse(R"({"node": "n1", "pciAddress": "0000:3b:00", "rank": 2})"));
  EXPECT_EQ(status["root"]["time"], "2026-12-01T04:00:00.500Z");
  EXPECT_EQ(status["root"]["trust"], "Node");
  EXPECT_EQ(status["symptoms"][1]["explainedBy"], "s1");
  EXPECT_EQ(status["nodes"][0], Json::parse(R"({"name": "n1", "role": "Culprit"})"));
  EXPECT_EQ(status["applied"]["rulesets"][0]["digest"], "sha256:x");
  EXPECT_FALSE(status.contains("tail"));
}

TEST(StatusFieldsTest, KeepsTheLimitsOfTheResource) {
  engine::Attribution attribution = HardwareVerdict();
  attribution.root->line = std::string(10'000, 'x');
  attribution.tail.assign(60, "line");
  attribution.tail.back() = "last";
  const Json status = StatusFields(attribution, {}, "", {});
  EXPECT_EQ(status["root"]["line"].get<std::string>().size(), 4096U);
  EXPECT_EQ(status["tail"].size(), 40U);
  EXPECT_EQ(status["tail"].back(), "last");
}

TEST(SameVerdictTest, WordsAndRevisionDoNotMatter) {
  const Json verdict = StatusFields(HardwareVerdict(), {}, "", {})["verdict"];
  Json other = verdict;
  other["revision"] = 7;
  other["message"] = "in other words";
  EXPECT_TRUE(SameVerdict(verdict, other));
  other["culprit"]["node"] = "n2";
  EXPECT_FALSE(SameVerdict(verdict, other));
  EXPECT_FALSE(SameVerdict(Json(), verdict));
}

TEST(FitStatusTest, VerdictAndRootStay) {
  engine::Attribution attribution = HardwareVerdict();
  attribution.tail.assign(40, std::string(4'000, 't'));
  attribution.root->line = std::string(4'000, 'r');
  attribution.root->before.assign(5, std::string(4'000, 'b'));
  for (int i = 0; i < 32; ++i) {
    attribution.gaps.push_back({engine::Source::kAppLog, "pod/" + std::to_string(i), "LogRotated",
                                std::string(1'000, 'g')});
  }
  Json status = StatusFields(attribution, {}, "", {});
  FitStatus(status, 16 * 1024);
  EXPECT_LE(status.dump().size(), 16U * 1024);
  EXPECT_EQ(status["verdict"]["symptom"], "xid-79");
  EXPECT_GE(status["root"]["line"].get<std::string>().size(), 1'000U);
}

TEST(MayReplaceTest, ALaterSessionThatKnowsLessDoesNot) {
  const Json written = StatusFields(HardwareVerdict(), {}, "", {});
  engine::Attribution poorer;
  poorer.evidence = {{.source = engine::Source::kKernel, .missing = 2}};
  EXPECT_FALSE(MayReplace(written, poorer));
  // It is weaker, but saw as much: what was written rested on something that is refuted now.
  poorer.evidence = {{.source = engine::Source::kKernel, .complete = 2}};
  EXPECT_TRUE(MayReplace(written, poorer));
  EXPECT_TRUE(MayReplace(Json::object(), poorer));
  EXPECT_TRUE(MayReplace(written, HardwareVerdict()));
}

}  // namespace
}  // namespace controllers
