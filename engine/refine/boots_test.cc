// SPDX-License-Identifier: Apache-2.0
#include "engine/refine/boots.h"

#include "engine/refine/refinement_fixture.h"

namespace engine {
namespace {

class BootsTest : public RefinementFixture {
 protected:
  // How many findings other than boots are left.
  std::ptrdiff_t Left(std::vector<Event> events, std::optional<int> first_words) {
    std::optional<Time> words;
    if (first_words) words = Time(std::chrono::seconds(*first_words));
    const auto left = AfterBoots(Refine("", std::move(events)).findings, words);
    return std::count_if(left.begin(), left.end(), [](const Finding& finding) {
      return finding.event.symptom != kNodeBooted;
    });
  }
};

TEST_F(BootsTest, WhatWasBeforeTheBootIsOfAnotherWorkload) {
  EXPECT_EQ(Left({At("root", "n1", 100), At(kNodeBooted, "n1", 200)}, 300), 0);
  EXPECT_EQ(Left({At("root", "n1", 250), At(kNodeBooted, "n1", 200)}, 300), 1);
  EXPECT_EQ(Left({At("root", "n2", 100), At(kNodeBooted, "n1", 200)}, 300), 1) << "another node";
  EXPECT_EQ(Left({App("effect", "n1", 100), At(kNodeBooted, "n1", 200)}, 300), 1)
      << "a program's words";
}

TEST_F(BootsTest, ABootDuringTheRunLeavesOutNothing) {
  EXPECT_EQ(Left({At("root", "n1", 100), At(kNodeBooted, "n1", 200)}, 50), 1);
  Event twice = At(kNodeBooted, "n1", 80);
  twice.last_time = Time(std::chrono::seconds(200));
  EXPECT_EQ(Left({At("root", "n1", 60), At("other", "n1", 100), twice}, 90), 1)
      << "the first boot was before the run";
}

TEST_F(BootsTest, WithoutTheProgramsTimesNobodyKnows) {
  EXPECT_EQ(Left({At("root", "n1", 100), At(kNodeBooted, "n1", 200)}, std::nullopt), 1);
}

TEST_F(BootsTest, RepeatsThatWentOnAfterTheBootStay) {
  Event repeated = At("root", "n1", 100);
  repeated.last_time = Time(std::chrono::seconds(250));
  EXPECT_EQ(Left({repeated, At(kNodeBooted, "n1", 200)}, 300), 1);
}

}  // namespace
}  // namespace engine
