// SPDX-License-Identifier: Apache-2.0
#include "controllers/nodefault/node_action_settings.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace controllers {
namespace {

using kube::Json;

Json Policy(const std::string& name, int precedence, Json selector = Json::object()) {
  return {{"metadata", {{"name", name}}},
          {"spec",
           {{"precedence", precedence},
            {"nodeSelector", std::move(selector)},
            {"mode", "Enforce"},
            {"actions", {"Condition", "Taint"}},
            {"maxUnavailable", "5%"},
            {"maxPerHour", 4}}}};
}

std::vector<kube::ObjectPtr> Objects(std::vector<Json> objects) {
  std::vector<kube::ObjectPtr> result;
  for (Json& object : objects) result.push_back(std::make_shared<const Json>(std::move(object)));
  return result;
}

const Json kNode = {{"metadata", {{"name", "n1"}, {"labels", {{"pool", "h100"}}}}}};

TEST(NodeActionSettingsTest, LowestPrecedenceThatSelectsTheNodeWins) {
  const NodeActionChoice choice = ChooseNodeActionPolicy(
      Objects({Policy("last", 2000), Policy("b", 10, {{"matchLabels", {{"pool", "b200"}}}}),
               Policy("first", 1000)}),
      kNode);
  ASSERT_TRUE(choice.settings);
  EXPECT_EQ(choice.settings->name, "first");
  EXPECT_TRUE(choice.settings->enforce);
  EXPECT_TRUE(choice.settings->taint);
  EXPECT_FALSE(ChooseNodeActionPolicy({}, kNode).settings);
}

TEST(NodeActionSettingsTest, ABrokenPolicyIsNotPassedOver) {
  Json broken = Policy("broken", 1);
  broken["spec"]["nodeSelector"] = {{"matchExpressions", {{{"key", "a"}, {"operator", "Is"}}}}};
  const NodeActionChoice choice =
      ChooseNodeActionPolicy(Objects({broken, Policy("next", 1000)}), kNode);
  EXPECT_FALSE(choice.settings) << "it could be meant for this node, so nothing is done to it";
  EXPECT_NE(choice.problem.find("spec.nodeSelector.matchExpressions[0].operator"),
            std::string::npos)
      << choice.problem;
}

TEST(NodeActionSettingsTest, SaysWhatIsWrong) {
  const auto problem = [](const char* field, Json value) {
    Json policy = Policy("p", 1);
    policy["spec"][field] = std::move(value);
    std::string text;
    EXPECT_FALSE(ParseNodeActionPolicy(policy, &text));
    return text;
  };
  EXPECT_EQ(problem("mode", "Try"), "spec.mode: \"Try\" is neither DryRun nor Enforce");
  EXPECT_EQ(problem("maxUnavailable", "many"),
            "spec.maxUnavailable: \"many\" is neither a number nor a percentage");
  EXPECT_EQ(problem("taintEffect", "NoExecute"), "spec.taintEffect: \"NoExecute\" is not offered");
}

}  // namespace
}  // namespace controllers
