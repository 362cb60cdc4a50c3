// SPDX-License-Identifier: Apache-2.0
#include "engine/extract/event.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace engine {
namespace {

Event At(int second, const std::string& node, const std::string& symptom = "xid-79") {
  Event event;
  event.symptom = symptom;
  event.node = node;
  event.stream = node;
  event.clock = Clock::kAbsolute;
  event.time = event.last_time = Time(std::chrono::seconds(second));
  event.line_number = second;
  return event;
}

TEST(EventTest, WhatHasNoTimeComesLast) {
  Event untimed = At(1, "n1");
  untimed.clock = Clock::kNone;
  EXPECT_TRUE(Earlier(At(100, "n2"), untimed));
  EXPECT_FALSE(Earlier(untimed, At(100, "n2")));
}

TEST(EventSetTest, TheEarliestStandsForItsPlace) {
  EventSet events(8, 8);
  EXPECT_TRUE(events.Add(At(5, "n1")));
  EXPECT_FALSE(events.Add(At(7, "n1")));
  EXPECT_TRUE(events.Add(At(3, "n1")));
  ASSERT_EQ(events.All().size(), 1U);
  EXPECT_EQ(events.All()[0]->line_number, 3);
  EXPECT_EQ(events.All()[0]->count, 3);
  EXPECT_EQ(events.All()[0]->last_time, At(7, "n1").time);
}

TEST(EventSetTest, WhatCapsKeepDoesNotDependOnTheOrder) {
  std::vector<Event> all;
  for (int i = 0; i < 40; ++i) {
    all.push_back(At(i, "n" + std::to_string(i), i % 4 == 0 ? "xid-79" : "nccl-timeout"));
  }
  std::mt19937 random(3);  // NOLINT(cert-msc51-cpp): the same orders each time
  for (int run = 0; run < 20; ++run) {
    std::shuffle(all.begin(), all.end(), random);
    EventSet events(5, 8);
    for (const Event& event : all) events.Add(event);
    std::vector<std::int64_t> kept;
    for (const Event* event : events.All()) kept.push_back(event->line_number);
    // Of nccl-timeout the first five, of xid-79 as many as there is room for.
    EXPECT_EQ(kept, (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 8}));
  }
}

TEST(EventSetTest, RepeatsAreCountedAsIfTheyWereAdded) {
  std::mt19937 random(5);  // NOLINT(cert-msc51-cpp): the same events each time
  EventSet added(5, 8);
  EventSet repeated(5, 8);
  for (int line = 1; line < 2'000; ++line) {
    // Places come again, times go back and forth, some lines have none.
    Event event = At(static_cast<int>(random() % 50), "n" + std::to_string(random() % 20),
                     random() % 2 == 0 ? "xid-79" : "nccl-timeout");
    event.stream = "s";
    event.line_number = line / 2;
    if (random() % 3 == 0) event.clock = Clock::kNone;
    added.Add(event);
    if (!repeated.AddRepeat(event)) repeated.Add(event);
    const auto a = added.All();
    const auto b = repeated.All();
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      ASSERT_EQ(PlaceOf(*a[i]), PlaceOf(*b[i]));
      ASSERT_EQ(a[i]->line_number, b[i]->line_number);
      ASSERT_EQ(a[i]->count, b[i]->count);
      ASSERT_EQ(a[i]->last_time, b[i]->last_time);
    }
  }
}

TEST(EventSetTest, FindsByPlace) {
  EventSet events(8, 8);
  events.Add(At(5, "n1"));
  EXPECT_NE(events.Find(PlaceOf(At(9, "n1"))), nullptr);
  EXPECT_EQ(events.Find(PlaceOf(At(9, "n2"))), nullptr);
}

}  // namespace
}  // namespace engine
