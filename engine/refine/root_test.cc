// SPDX-License-Identifier: Apache-2.0
#include "engine/refine/root.h"

#include "engine/refine/refinement_fixture.h"

namespace engine {
namespace {

class RootTest : public RefinementFixture {
 protected:
  // The chosen symptom; "?" appended when ambiguous, "!" when no domain can be told.
  std::string Choose(std::vector<Event> events, const std::string& refiners = "") {
    const Refinement& refinement = Refine(refiners, std::move(events));
    const RootChoice choice = ChooseRoot(refinement);
    if (choice.root < 0) return "";
    return refinement.EventAt(choice.root).symptom + (choice.ambiguous ? "?" : "") +
           (choice.tied ? "!" : "");
  }
  EvidenceLevel Level(const Event& event) {
    const Refinement& refinement = Refine("", {event});
    return LevelOf(refinement, refinement.findings[0]);
  }
};

TEST_F(RootTest, TheEarliestNotTheLoudest) {
  Event loud = App("user", "n2", 200);
  loud.count = 1000;
  EXPECT_EQ(Choose({At("root", "n1", 100), loud}), "root");
  EXPECT_EQ(Choose({At("root", "n1", 300), loud}), "user");
}

TEST_F(RootTest, RootsBeforeSuspicionsAndConsequencesNever) {
  EXPECT_EQ(Choose({App("maybe", "n1", 100), At("root", "n1", 200)}), "root");
  EXPECT_EQ(Choose({App("maybe", "n1", 100), App("effect", "n1", 50)}), "maybe?");
  EXPECT_EQ(Choose({App("effect", "n1", 50)}), "");
  EXPECT_EQ(Choose({}), "");
}

TEST_F(RootTest, WhatCannotBeOrderedTies) {
  EXPECT_EQ(Choose({At("root", "n1", 100.5), App("user", "n2", 101.5)}), "root?!");
  EXPECT_EQ(Choose({At("root", "n1", 100.5), At("other", "n2", 101.5)}), "root") << "one domain";
  EXPECT_EQ(Choose({At("root", "n1", 100.5), App("user", "n2", 101.5)},
                   "- {name: p, prefer: {symptom: root, over: [user]}}\n"),
            "root");
  EXPECT_EQ(Choose({App("other", "n1", 100.5), At("root", "n2", 101.5)}), "root")
      << "the better proven speaks for both";
}

TEST_F(RootTest, EstablishedNeedsAProvingSourceOnTheCulpritItself) {
  workload_.nodes = {"n1"};
  workload_.exclusive_nodes = {"n1"};
  EXPECT_EQ(Level(At("root", "n1", 100)), EvidenceLevel::kEstablished);
  EXPECT_EQ(Level(App("root", "n1", 100)), EvidenceLevel::kHypothesis);
  Event nowhere = At("root", "", 100);
  EXPECT_EQ(Level(nowhere), EvidenceLevel::kSupported);
  Event claimed = At("root", "n1", 100);
  claimed.trust = Trust::kWorkload;
  EXPECT_EQ(Level(claimed), EvidenceLevel::kSupported);
  EXPECT_EQ(Level(At("maybe", "n1", 100)), EvidenceLevel::kSupported) << "only a suspicion";
}

TEST_F(RootTest, AGpuMustHaveBeenTheWorkloads) {
  workload_.nodes = {"n1"};
  EXPECT_EQ(Level(At("root", "n1", 100)), EvidenceLevel::kSupported) << "nobody knows whose";
  workload_.nodes_with_known_gpus = {"n1"};
  EXPECT_EQ(Level(At("root", "n1", 100)), EvidenceLevel::kEstablished);
  Event unnamed = At("root", "n1", 100);
  unnamed.pci_address.clear();
  EXPECT_EQ(Level(unnamed), EvidenceLevel::kSupported);
}

TEST_F(RootTest, NoCatalogMakesAClaimProveAFault) {
  Event status = At("other", "n1", 100);
  status.source = Source::kPodStatus;
  status.trust = Trust::kCluster;
  EXPECT_EQ(Level(status), EvidenceLevel::kSupported) << "although the catalog accepts it";
  EXPECT_EQ(Level(At("inducible", "n1", 100)), EvidenceLevel::kSupported)
      << "a program can bring it about";
  status.symptom = "platform";
  EXPECT_EQ(Level(status), EvidenceLevel::kEstablished) << "accuses no device";
}

}  // namespace
}  // namespace engine
