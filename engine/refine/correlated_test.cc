// SPDX-License-Identifier: Apache-2.0
#include "engine/refine/correlated.h"

#include "engine/refine/refinement_fixture.h"

namespace engine {
namespace {

using CorrelatedTest = RefinementFixture;

TEST_F(CorrelatedTest, ThreeNodesWithinHalfAnHour) {
  const auto correlated = [&](std::vector<Event> events) {
    const Refinement& refinement = Refine("", std::move(events));
    return !CorrelatedWith(refinement, refinement.findings[0]).empty();
  };
  EXPECT_TRUE(correlated({At("root", "n1", 0), At("root", "n2", 60), At("root", "n3", 1700)}));
  EXPECT_FALSE(correlated({At("root", "n1", 0), At("root", "n2", 60), At("root", "n3", 1900)}));
  EXPECT_FALSE(correlated({At("root", "n1", 0), At("root", "n2", 60), At("other", "n3", 60)}));
  EXPECT_FALSE(correlated({At("root", "n1", 0), At("root", "n1", 1), At("root", "n1", 2)}));
  EXPECT_FALSE(correlated({At("root", "n1", 0), App("root", "n2", 1), App("root", "n3", 2)}))
      << "claims don't talk a proven fault away";
}

TEST_F(CorrelatedTest, OtherWorkloadsCount) {
  const auto past = [](const std::string& node, int second) {
    return PastSymptom{.symptom = "root",
                       .node = node,
                       .gpu_uuid = {},
                       .pci_address = {},
                       .pool = {},
                       .tenant = {},
                       .time = Time(std::chrono::seconds(second))};
  };
  history_.symptoms = {past("n2", 10), past("n3", 20)};
  const Refinement& near = Refine("", {At("root", "n1", 100)});
  EXPECT_EQ(CorrelatedWith(near, near.findings[0]), "3 nodes had it within 30 minutes");
  Event untimed = At("root", "n1", 100);
  untimed.clock = Clock::kNone;
  const Refinement& unknown = Refine("", {untimed});
  EXPECT_EQ(CorrelatedWith(unknown, unknown.findings[0]), "");
}

TEST_F(CorrelatedTest, WhatWasDoneToTheNode) {
  const auto why = [&](NodeActivity::Kind kind, const std::string& node, int second) {
    history_.activities = {{kind, node, Time(std::chrono::seconds(second))}};
    const Refinement& refinement = Refine("", {At("root", "n1", 10'000)});
    return CorrelatedWith(refinement, refinement.findings[0]);
  };
  using Kind = NodeActivity::Kind;
  EXPECT_EQ(why(Kind::kBoot, "n1", 9'200), "the node had just booted");
  EXPECT_EQ(why(Kind::kBoot, "n1", 9'000), "");
  EXPECT_EQ(why(Kind::kBoot, "n2", 9'200), "");
  EXPECT_EQ(why(Kind::kBoot, "n1", 10'100), "") << "repaired afterwards";
  EXPECT_EQ(why(Kind::kDriverUpgrade, "n1", 8'500), "a driver upgrade was under way");
  EXPECT_EQ(why(Kind::kMigChange, "n1", 9'990), "a change of MIG partitions was under way");
  EXPECT_EQ(why(Kind::kMaintenance, "n1", 9'990), "the node was under maintenance");
}

}  // namespace
}  // namespace engine
