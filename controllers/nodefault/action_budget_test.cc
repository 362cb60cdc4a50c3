// SPDX-License-Identifier: Apache-2.0
#include "controllers/nodefault/action_budget.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace controllers {
namespace {

using kube::Json;

const engine::Time kNow = *engine::ParseRfc3339("2026-12-01T05:00:00Z");
constexpr char kRecent[] = "2026-12-01T04:30:00Z";
constexpr char kOld[] = "2026-12-01T03:30:00Z";

Json Fault(const char* node, const char* status, const char* reason, const char* time) {
  return {{"spec", {{"nodeName", node}}},
          {"status",
           {{"conditions",
             {{{"type", "Tainted"},
               {"status", status},
               {"reason", reason},
               {"lastTransitionTime", time}}}}}}};
}

Json Node(const char* name, const char* status, const char* time) {
  return {{"metadata", {{"name", name}}},
          {"status",
           {{"conditions",
             {{{"type", kConditionType}, {"status", status}, {"lastTransitionTime", time}}}}}}};
}

const PoolStanding kPool{.nodes = {"a", "b"}, .unavailable = {}};

TEST(ActionBudgetTest, TaintsAndReleasesOfTheHourCount) {
  EXPECT_EQ(
      ActedLastHour(
          {Fault("a", "True", "Tainted", kRecent), Fault("b", "False", "Released", kRecent),
           Fault("b", "True", "Tainted", kOld), Fault("a", "False", "BudgetExceeded", kRecent),
           Fault("elsewhere", "True", "Tainted", kRecent)},
          kPool, {}, kNow),
      2);
}

TEST(ActionBudgetTest, TheConditionTellsOfConditionOnlyAndOfDeletedFaults) {
  EXPECT_EQ(ActedLastHour({Fault("a", "False", "ConditionOnly", kOld)}, kPool,
                          {Node("a", "True", kRecent)}, kNow),
            1)
      << "its Tainted was False before too";
  EXPECT_EQ(
      ActedLastHour({}, kPool, {Node("a", "True", kRecent), Node("b", "False", kRecent)}, kNow), 2);
  EXPECT_EQ(ActedLastHour({}, kPool, {Node("a", "True", kOld), Node("c", "True", kRecent)}, kNow),
            0);
  EXPECT_EQ(ActedLastHour({Fault("a", "True", "Tainted", kRecent)}, kPool,
                          {Node("a", "True", kRecent)}, kNow),
            1)
      << "one action, told twice";
}

}  // namespace
}  // namespace controllers
