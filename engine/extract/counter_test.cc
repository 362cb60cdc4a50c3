// SPDX-License-Identifier: Apache-2.0
#include "engine/extract/counter.h"

#include <gtest/gtest.h>

namespace engine {
namespace {

constexpr CounterRule kRule{.increase_at_least = 2, .within_seconds = 60, .scope = Scope::kGpu};

Event At(std::optional<int> second, const std::string& pci = "0000:3b:00") {
  Event event;
  event.symptom = "row-remap-failure";
  event.node = "n1";
  event.pci_address = pci;
  if (second) {
    event.clock = Clock::kAbsolute;
    event.time = Time(std::chrono::seconds(*second));
  }
  return event;
}

TEST(CounterTest, OneReadingProvesNothing) {
  CounterReadings counter;
  EXPECT_FALSE(counter.Rises(kRule, At(0), 7));
}

TEST(CounterTest, ARiseIsToldOnce) {
  CounterReadings counter;
  EXPECT_FALSE(counter.Rises(kRule, At(0), 7));
  EXPECT_FALSE(counter.Rises(kRule, At(10), 8));
  EXPECT_TRUE(counter.Rises(kRule, At(20), 9));
  EXPECT_FALSE(counter.Rises(kRule, At(30), 9));
  EXPECT_TRUE(counter.Rises(kRule, At(40), 11));
}

TEST(CounterTest, SlowRisesAreNone) {
  CounterReadings counter;
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(counter.Rises(kRule, At(i * 61), i)) << i;
}

TEST(CounterTest, AResetCountsFromItsNewValue) {
  CounterReadings counter;
  EXPECT_FALSE(counter.Rises(kRule, At(0), 100));
  EXPECT_FALSE(counter.Rises(kRule, At(10), 0));
  EXPECT_TRUE(counter.Rises(kRule, At(20), 2));
}

TEST(CounterTest, PlacesAreCountedApart) {
  CounterReadings counter;
  EXPECT_FALSE(counter.Rises(kRule, At(0, "0000:3b:00"), 0));
  EXPECT_FALSE(counter.Rises(kRule, At(1, "0000:9c:00"), 5));
}

TEST(CounterTest, ARiseLateInALongRunIsSeen) {
  CounterReadings counter;
  for (int i = 0; i < 10'000; ++i) EXPECT_FALSE(counter.Rises(kRule, At(i * 15), 3));
  EXPECT_TRUE(counter.Rises(kRule, At(150'000), 5));
}

TEST(CounterTest, WithoutTimesEveryReadingCounts) {
  CounterReadings counter;
  EXPECT_FALSE(counter.Rises(kRule, At(std::nullopt), 0));
  EXPECT_FALSE(counter.Rises(kRule, At(std::nullopt), 1));
  EXPECT_TRUE(counter.Rises(kRule, At(std::nullopt), 2));
}

}  // namespace
}  // namespace engine
