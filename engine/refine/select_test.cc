// SPDX-License-Identifier: Apache-2.0
#include "engine/refine/select.h"

#include "engine/refine/refinement_fixture.h"

namespace engine {
namespace {

class SelectTest : public RefinementFixture {
 protected:
  void SetUp() override {
    Refine("", {});
    workload_.start = Time(std::chrono::seconds(1'000));
    workload_.end = Time(std::chrono::seconds(2'000));
    workload_.nodes = {"n1", "n2.cluster.example"};
  }
  std::vector<Finding> Select(std::vector<Event> events, const Limits& limits = {}) {
    return SelectFindings(Rules(), workload_, std::move(events), limits);
  }
};

TEST_F(SelectTest, TheWindowHasALittleSlack) {
  EXPECT_EQ(Select({At("root", "n1", 996)}).size(), 1U);
  EXPECT_EQ(Select({At("root", "n1", 990)}).size(), 0U);
  EXPECT_EQ(Select({At("root", "n1", 2'050)}).size(), 1U);
  EXPECT_EQ(Select({At("root", "n1", 2'070)}).size(), 0U);
  Event boot = At("root", "n1", 5);
  boot.clock = Clock::kBoot;
  EXPECT_EQ(Select({boot}).size(), 1U) << "nobody knows when that was";
  Event undated = At("root", "n1", 990);
  undated.time_is_floor = true;
  EXPECT_EQ(Select({undated}).size(), 1U) << "may be younger than the line above it";
}

TEST_F(SelectTest, OnlyItsNodes) {
  EXPECT_EQ(Select({At("root", "n2", 1'500)}).size(), 1U) << "the short name";
  EXPECT_EQ(Select({At("root", "n3", 1'500)}).size(), 0U);
  EXPECT_EQ(Select({At("root", "", 1'500)}).size(), 1U);
  workload_.nodes.clear();
  EXPECT_EQ(Select({At("root", "n3", 1'500)}).size(), 1U);
}

TEST_F(SelectTest, OnlyWhileItWasThere) {
  workload_.stays = {{"n1", Time(std::chrono::seconds(1'000)), Time(std::chrono::seconds(1'100))},
                     {"n1", Time(std::chrono::seconds(1'700)), std::nullopt}};
  EXPECT_EQ(Select({At("root", "n1", 1'050)}).size(), 1U);
  EXPECT_EQ(Select({At("root", "n1", 1'150)}).size(), 1U) << "a little late";
  EXPECT_EQ(Select({At("root", "n1", 1'400)}).size(), 0U) << "another tenant's";
  EXPECT_EQ(Select({At("root", "n1", 1'900)}).size(), 1U) << "it came back";
  EXPECT_EQ(Select({At("root", "n2", 1'400)}).size(), 1U) << "nobody knows";
  EXPECT_EQ(Select({App("user", "n1", 1'400)}).size(), 1U) << "the workload's own words";
  Event repeated = At("root", "n1", 1'400);
  repeated.last_time = Time(std::chrono::seconds(1'800));
  EXPECT_EQ(Select({repeated}).size(), 1U) << "it went on until the workload was back";
}

TEST_F(SelectTest, OnlyItsGpusWhereTheyAreKnown) {
  workload_.gpus = {{"n1", "GPU-1", "00000000:3B:00.0"}};
  workload_.nodes_with_known_gpus = {"n1"};
  const auto own = Select({At("root", "n1", 1'500)});
  ASSERT_EQ(own.size(), 1U);
  EXPECT_EQ(own[0].event.gpu_uuid, "GPU-1") << "the same device's other name";
  Event neighbour = At("root", "n1", 1'500);
  neighbour.pci_address = "0000:9c:00";
  EXPECT_EQ(Select({neighbour}).size(), 0U);
  neighbour.node = "n2";
  EXPECT_EQ(Select({neighbour}).size(), 1U) << "not known there";
}

TEST_F(SelectTest, TheSameAtTheSamePlaceIsOne) {
  const auto found = Select({At("root", "n1", 1'600), At("root", "n1", 1'500)});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].event.count, 2);
  EXPECT_EQ(found[0].event.time, Time(std::chrono::seconds(1'500)));
}

TEST_F(SelectTest, CapsKeepTheEarliest) {
  workload_.nodes.clear();
  std::vector<Event> many;
  for (int i = 0; i < 50; ++i) many.push_back(At("root", "n" + std::to_string(i), 1'900 - i));
  Limits limits;
  limits.symptoms_per_kind = 10;
  const auto found = Select(many, limits);
  ASSERT_EQ(found.size(), 10U);
  EXPECT_EQ(found[0].event.node, "n49");
  limits.symptoms = 3;
  EXPECT_EQ(Select(many, limits).size(), 3U);
}

TEST_F(SelectTest, WhatTheCatalogDoesNotKnowIsNothing) {
  EXPECT_EQ(Select({At("unheard-of", "n1", 1'500)}).size(), 0U);
}

}  // namespace
}  // namespace engine
