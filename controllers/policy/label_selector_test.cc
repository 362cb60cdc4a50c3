// SPDX-License-Identifier: Apache-2.0
#include "controllers/policy/label_selector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace controllers {
namespace {

using kube::Json;

LabelSelector Selector(const char* json) {
  std::string problem;
  auto selector = LabelSelector::Parse(Json::parse(json), &problem);
  EXPECT_TRUE(selector) << problem;
  return selector.value_or(LabelSelector());
}

TEST(LabelSelectorTest, EmptyMatchesEverything) {
  EXPECT_TRUE(Selector("null").Matches({}));
  EXPECT_TRUE(Selector("{}").Matches({{"a", "b"}}));
  EXPECT_EQ(Selector("{}").ToQuery(), "");
}

TEST(LabelSelectorTest, AllRequirementsMustHold) {
  const LabelSelector selector = Selector(R"({
    "matchLabels": {"team": "a"},
    "matchExpressions": [
      {"key": "gpu", "operator": "In", "values": ["h100", "b200"]},
      {"key": "tier", "operator": "NotIn", "values": ["spot"]},
      {"key": "rack", "operator": "Exists"},
      {"key": "broken", "operator": "DoesNotExist"}]})");
  EXPECT_TRUE(selector.Matches({{"team", "a"}, {"gpu", "b200"}, {"rack", ""}}));
  EXPECT_FALSE(selector.Matches({{"team", "b"}, {"gpu", "b200"}, {"rack", ""}}));
  EXPECT_FALSE(selector.Matches({{"team", "a"}, {"gpu", "a100"}, {"rack", ""}}));
  EXPECT_FALSE(selector.Matches({{"team", "a"}, {"gpu", "b200"}, {"rack", ""}, {"tier", "spot"}}));
  EXPECT_FALSE(selector.Matches({{"team", "a"}, {"gpu", "b200"}}));
  EXPECT_FALSE(selector.Matches({{"team", "a"}, {"gpu", "b200"}, {"rack", ""}, {"broken", "1"}}));
  EXPECT_EQ(selector.ToQuery(), "team in (a),gpu in (h100,b200),tier notin (spot),rack,!broken");
}

TEST(LabelSelectorTest, SaysWhatIsWrong) {
  const auto problem = [](const char* json) {
    std::string text;
    EXPECT_FALSE(LabelSelector::Parse(Json::parse(json), &text)) << json;
    return text;
  };
  EXPECT_EQ(problem(R"([])"), "not an object");
  EXPECT_THAT(problem(R"({"matchLabels": {"a b": "c"}})"),
              testing::HasSubstr("\"a b\" is not a label key"));
  EXPECT_THAT(problem(R"({"matchLabels": {"a": "-c"}})"),
              testing::HasSubstr("\"-c\" is not a label value"));
  EXPECT_THAT(problem(R"({"matchLabels": {"UPPER.example/x": "c"}})"),
              testing::HasSubstr("is not a label key"));
  EXPECT_EQ(problem(R"({"matchExpressions": [{"key": "a", "operator": "Is", "values": ["b"]}]})"),
            "matchExpressions[0].operator: \"Is\" is none of In, NotIn, Exists, DoesNotExist");
  EXPECT_EQ(problem(R"({"matchExpressions": [{"key": "a", "operator": "In"}]})"),
            "matchExpressions[0].values: In needs at least one value");
  EXPECT_EQ(
      problem(R"({"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["b"]}]})"),
      "matchExpressions[0].values: Exists takes no values");
  EXPECT_THAT(problem(R"({"matchExpressions": [{"operator": "Exists"}]})"),
              testing::HasSubstr("matchExpressions[0].key: \"\" is not a label key"));
}

}  // namespace
}  // namespace controllers
