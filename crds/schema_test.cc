// SPDX-License-Identifier: Apache-2.0
// Walks manifest and C++ type side by side: a field on one side only is an error.
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <set>
#include <string>

#include "crds/attribution.h"
#include "crds/attribution_policy.h"
#include "crds/attribution_ruleset.h"
#include "crds/fields.h"
#include "crds/node_action_policy.h"
#include "crds/node_fault.h"

namespace crds {
namespace {

using Paths = std::set<std::string>;

void WalkSchema(const YAML::Node& schema, const std::string& path, Paths& paths) {
  if (const YAML::Node items = schema["items"]) return WalkSchema(items, path + "[]", paths);
  if (const YAML::Node values = schema["additionalProperties"]) {
    return WalkSchema(values, path + "{}", paths);
  }
  const YAML::Node properties = schema["properties"];
  if (!properties) {
    paths.insert(path);
    return;
  }
  for (const auto& property : properties) {
    const auto name = property.first.as<std::string>();
    WalkSchema(property.second, path.empty() ? name : path + '.' + name, paths);
  }
}

YAML::Node SchemaOf(const std::string& plural) {
  const YAML::Node crd = YAML::LoadFile("crds/" + plural + ".yaml");
  return crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"];
}

Paths SchemaPaths(const std::string& plural) {
  Paths paths;
  for (const char* part : {"spec", "status"}) {
    WalkSchema(SchemaOf(plural)[part], part, paths);
  }
  return paths;
}

template <typename T>
Paths TypePaths() {
  Paths paths;
  CollectPaths<T>("", paths);
  return paths;
}

TEST(SchemaTest, ManifestAndTypeHaveTheSameFields) {
  EXPECT_EQ(SchemaPaths("attributions"), TypePaths<Attribution>());
  EXPECT_EQ(SchemaPaths("nodefaults"), TypePaths<NodeFault>());
  EXPECT_EQ(SchemaPaths("attributionrulesets"), TypePaths<AttributionRuleset>());
  EXPECT_EQ(SchemaPaths("attributionpolicies"), TypePaths<AttributionPolicy>());
  EXPECT_EQ(SchemaPaths("nodeactionpolicies"), TypePaths<NodeActionPolicy>());
}

// What a `kubectl explain` shows and a server can bound.
void CheckConventions(const YAML::Node& schema, const std::string& path) {
  if (!schema["description"] && path.find("[]") == std::string::npos &&
      path.find("{}") == std::string::npos) {
    ADD_FAILURE() << path << ": no description";
  }
  const auto type = schema["type"] ? schema["type"].as<std::string>() : std::string();
  EXPECT_NE(type, "boolean") << path;
  EXPECT_NE(type, "number") << path;
  if (type == "string") {
    EXPECT_TRUE(schema["maxLength"] || schema["enum"] ||
                (schema["format"] && schema["format"].as<std::string>() == "date-time"))
        << path << ": no maxLength";
  }
  if (type == "array") {
    EXPECT_TRUE(schema["maxItems"] && schema["x-kubernetes-list-type"]) << path;
    CheckConventions(schema["items"], path + "[]");
  }
  if (const YAML::Node properties = schema["properties"]) {
    for (const auto& property : properties) {
      CheckConventions(property.second, path + '.' + property.first.as<std::string>());
    }
  }
}

TEST(SchemaTest, EveryFieldIsDescribedAndBounded) {
  for (const char* plural : {"attributions", "nodefaults", "attributionrulesets",
                             "attributionpolicies", "nodeactionpolicies"}) {
    for (const char* part : {"spec", "status"}) {
      CheckConventions(SchemaOf(plural)[part], std::string(plural) + '.' + part);
    }
  }
}

// Defaults stand twice, in the manifest and in the type: the type's are for the policy that no
// object was made for.
TEST(SchemaTest, DefaultsAgree) {
  const YAML::Node policy = SchemaOf("attributionpolicies")["spec"]["properties"];
  const AttributionPolicySpec spec;
  EXPECT_EQ(policy["precedence"]["default"].as<std::int64_t>(), spec.precedence);
  EXPECT_EQ(policy["triggers"]["default"].as<std::vector<std::string>>(), spec.triggers);
  EXPECT_EQ(policy["rulesets"]["default"].as<std::vector<std::string>>(), spec.rulesets);
  EXPECT_EQ(policy["nodeFaults"]["default"].as<std::string>(), spec.node_faults);
  const YAML::Node evidence = policy["evidence"]["properties"];
  EXPECT_EQ(evidence["nodeLogs"]["default"].as<std::vector<std::string>>(),
            spec.evidence.node_logs);
  EXPECT_EQ(evidence["maxBytesPerContainer"]["default"].as<std::string>(),
            spec.evidence.max_bytes_per_container);
  EXPECT_EQ(evidence["maxBytesPerWorkload"]["default"].as<std::string>(),
            spec.evidence.max_bytes_per_workload);
  EXPECT_EQ(evidence["settleSeconds"]["default"].as<std::int64_t>(), spec.evidence.settle_seconds);
  const YAML::Node retention = policy["retention"]["properties"];
  EXPECT_EQ(retention["maxAgeSeconds"]["default"].as<std::int64_t>(),
            spec.retention.max_age_seconds);
  EXPECT_EQ(retention["maxPerNamespace"]["default"].as<std::int64_t>(),
            spec.retention.max_per_namespace);

  const YAML::Node actions = SchemaOf("nodeactionpolicies")["spec"]["properties"];
  const NodeActionPolicySpec nodes;
  EXPECT_EQ(actions["mode"]["default"].as<std::string>(), nodes.mode);
  EXPECT_EQ(actions["maxUnavailable"]["default"].as<std::string>(),
            nodes.max_unavailable.get<std::string>());
  EXPECT_EQ(actions["maxPerHour"]["default"].as<std::int64_t>(), nodes.max_per_hour);
  EXPECT_EQ(actions["probationSeconds"]["default"].as<std::int64_t>(), nodes.probation_seconds);
}

}  // namespace
}  // namespace crds
