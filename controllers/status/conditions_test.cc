// SPDX-License-Identifier: Apache-2.0
#include "controllers/status/conditions.h"

#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>

namespace controllers {
namespace {

using kube::Json;

const engine::Time kThen = *engine::ParseRfc3339("2026-12-01T04:00:00.5Z");
const engine::Time kLater = kThen + std::chrono::minutes(5);

TEST(SetConditionTest, TransitionTimeMovesOnlyWithTheStatus) {
  Json conditions;
  EXPECT_TRUE(SetCondition(conditions, {"Ready", "False", "Collecting", "reads", 1}, kThen));
  EXPECT_EQ(conditions.size(), 1U);
  EXPECT_EQ(conditions[0]["lastTransitionTime"], "2026-12-01T04:00:00Z");

  EXPECT_FALSE(SetCondition(conditions, {"Ready", "False", "Collecting", "reads", 1}, kLater));
  EXPECT_TRUE(SetCondition(conditions, {"Ready", "False", "Settling", "waits", 1}, kLater));
  EXPECT_EQ(conditions[0]["lastTransitionTime"], "2026-12-01T04:00:00Z");
  EXPECT_EQ(conditions[0]["reason"], "Settling");

  EXPECT_TRUE(SetCondition(conditions, {"Ready", "True", "Settled", "", 1}, kLater));
  EXPECT_EQ(conditions[0]["lastTransitionTime"], "2026-12-01T04:05:00Z");
}

TEST(SetConditionTest, LeavesOtherTypesAlone) {
  Json conditions;
  SetCondition(conditions, {"Active", "True", "Reported", "", 1}, kThen);
  SetCondition(conditions, {"Tainted", "False", "DryRun", "", 1}, kThen);
  SetCondition(conditions, {"Tainted", "True", "Tainted", "", 1}, kLater);
  EXPECT_EQ(conditions.size(), 2U);
  EXPECT_EQ(conditions[0]["type"], "Active");
  const Json object = {{"status", {{"conditions", conditions}}}};
  EXPECT_EQ(ConditionStatus(object, "Tainted"), "True");
  EXPECT_EQ(ConditionReason(object, "Active"), "Reported");
  EXPECT_EQ(ConditionStatus(object, "Ready"), "");
  EXPECT_EQ(FindCondition(Json::object(), "Ready"), nullptr);
}

TEST(CutTextTest, CutsBetweenCharacters) {
  EXPECT_EQ(CutText("short", 10), "short");
  EXPECT_EQ(CutText("0123456789ab", 10), "0123456...");
  EXPECT_EQ(CutText("aaa\xc3\xa9\xc3\xa9\xc3\xa9", 8), "aaa\xc3\xa9...");
  EXPECT_EQ(CutText("aaa\xc3\xa9\xc3\xa9\xc3\xa9", 7), "aaa...");
}

}  // namespace
}  // namespace controllers
