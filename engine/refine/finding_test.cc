// SPDX-License-Identifier: Apache-2.0
#include "engine/refine/finding.h"

#include "engine/refine/refinement_fixture.h"

namespace engine {
namespace {

using FindingTest = RefinementFixture;

TEST_F(FindingTest, WithinAStreamThePositionTells) {
  Event a = At("root", "n1", 10.5);
  Event b = At("root", "n1", 10.5);
  a.line_number = 1;
  b.line_number = 2;
  EXPECT_TRUE(CertainlyBefore(a, b));
  EXPECT_FALSE(CertainlyBefore(b, a));
}

TEST_F(FindingTest, BetweenNodesClocksMayDisagree) {
  EXPECT_TRUE(CertainlyBefore(At("root", "n1", 10.5), App("user", "n1", 10.6)));
  EXPECT_FALSE(CertainlyBefore(At("root", "n1", 10.5), App("user", "n2", 12.4)));
  EXPECT_TRUE(CertainlyBefore(At("root", "n1", 10.5), App("user", "n2", 12.6)));
}

TEST_F(FindingTest, AWholeSecondIsItsBeginning) {
  EXPECT_FALSE(CertainlyBefore(At("root", "n1", 10), App("user", "n1", 10.9)));
  EXPECT_TRUE(CertainlyBefore(At("root", "n1", 10), App("user", "n1", 11)));
  EXPECT_TRUE(CertainlyBefore(App("user", "n1", 9.9), At("root", "n1", 10)));
}

TEST_F(FindingTest, AnUndatedLineMayBeAnyAmountYounger) {
  Event undated = App("user", "n1", 10.5);
  undated.time_is_floor = true;
  EXPECT_FALSE(CertainlyBefore(undated, At("root", "n1", 1000)));
  EXPECT_TRUE(CertainlyBefore(At("root", "n1", 10.4), undated));
}

TEST_F(FindingTest, ClocksOfDifferentKindsTellNothing) {
  Event boot = At("root", "n1", 10.5);
  boot.clock = Clock::kBoot;
  EXPECT_FALSE(CertainlyBefore(boot, App("user", "n1", 1000)));
  Event elsewhere = At("root", "n2", 1000);
  elsewhere.clock = Clock::kBoot;
  EXPECT_FALSE(CertainlyBefore(boot, elsewhere));
}

TEST_F(FindingTest, SamePlaces) {
  Event gpu = At("root", "n1", 1);
  Event neighbour = gpu;
  neighbour.pci_address = "0000:9c:00";
  EXPECT_TRUE(SamePlace(Scope::kGpu, gpu, gpu));
  EXPECT_FALSE(SamePlace(Scope::kGpu, gpu, neighbour));
  EXPECT_TRUE(SamePlace(Scope::kNode, gpu, neighbour));
  EXPECT_FALSE(SamePlace(Scope::kNode, gpu, At("root", "n2", 1)));
  EXPECT_TRUE(SamePlace(Scope::kWorkload, gpu, At("root", "n2", 1)));
  EXPECT_FALSE(SamePlace(Scope::kGpu, gpu, App("user", "n1", 1))) << "an unknown GPU";
}

TEST_F(FindingTest, NodesByTheirShortName) {
  EXPECT_TRUE(SameNode("gpu-7", "gpu-7.cluster.example"));
  EXPECT_FALSE(SameNode("gpu-7", "gpu-70"));
  EXPECT_FALSE(SameNode("", "gpu-7"));
}

TEST_F(FindingTest, CompleteIsReadToTheEndEverywhere) {
  evidence_[Source::kKernel] = {.source = Source::kKernel, .complete = 2};
  evidence_[Source::kAppLog] = {.source = Source::kAppLog, .complete = 2, .partial = 1};
  const Refinement& refinement = Refine("", {});
  EXPECT_TRUE(refinement.IsComplete(Source::kKernel));
  EXPECT_FALSE(refinement.IsComplete(Source::kAppLog));
  EXPECT_FALSE(refinement.IsComplete(Source::kEvent)) << "never read";
}

}  // namespace
}  // namespace engine
