// SPDX-License-Identifier: Apache-2.0
#include "controllers/attribution/retention.h"

#include <gtest/gtest.h>

namespace controllers {
namespace {

using std::chrono::hours;

const engine::Time kNow = *engine::ParseRfc3339("2026-12-01T04:00:00Z");

std::vector<std::string> Names(const RetentionChoice& choice) {
  std::vector<std::string> names;
  for (const Kept& kept : choice.expired) names.push_back(kept.name);
  return names;
}

TEST(RetentionTest, TheOldGoByAge) {
  const RetentionChoice choice = ChooseExpired({{"new", "1", kNow - hours(1)},
                                                {"old", "2", kNow - hours(30)},
                                                {"due", "3", kNow - hours(24)}},
                                               kNow, hours(24), 100, 10);
  EXPECT_EQ(Names(choice), (std::vector<std::string>{"old", "due"}));
  EXPECT_FALSE(choice.more);
}

TEST(RetentionTest, TheOldestGoByCountAndEqualAgesByName) {
  const RetentionChoice choice =
      ChooseExpired({{"b", "1", kNow}, {"a", "2", kNow}, {"c", "3", kNow}}, kNow, hours(24), 1, 10);
  EXPECT_EQ(Names(choice), (std::vector<std::string>{"a", "b"}));
}

TEST(RetentionTest, AFewAtATime) {
  const RetentionChoice choice =
      ChooseExpired({{"a", "1", kNow}, {"b", "2", kNow}, {"c", "3", kNow}}, kNow, hours(24), 0, 2);
  EXPECT_EQ(choice.expired.size(), 2U);
  EXPECT_TRUE(choice.more);
}

}  // namespace
}  // namespace controllers
