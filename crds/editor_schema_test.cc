// SPDX-License-Identifier: Apache-2.0
// config/rulesets/schema.json, by which editors complete and check rulesets, says what the manifest
// says.
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

namespace crds {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kSchemaFile[] = "config/rulesets/schema.json";

Json ScalarOf(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  if (node.Tag() == "!") return text;  // quoted
  if (text == "true" || text == "false") return text == "true";
  if (std::int64_t number = 0; YAML::convert<std::int64_t>::decode(node, number)) return number;
  if (double number = 0; YAML::convert<double>::decode(node, number)) return number;
  return text;
}

Json ValueOf(const YAML::Node& node) {
  if (node.IsScalar()) return ScalarOf(node);
  Json value = Json::array();
  for (const YAML::Node& item : node) value.push_back(ValueOf(item));
  return value;
}

// As JSON Schema: without the API server's own words, and with unknown fields refused, as the
// loader refuses them.
Json SchemaOf(const YAML::Node& node) {
  Json schema = Json::object();
  for (const auto& entry : node) {
    const std::string key = entry.first.Scalar();
    if (key.starts_with("x-kubernetes-") || key == "format") continue;
    if (key == "properties") {
      Json& properties = schema[key] = Json::object();
      for (const auto& property : entry.second) {
        properties[property.first.Scalar()] = SchemaOf(property.second);
      }
      schema["additionalProperties"] = false;
    } else if (key == "items" || key == "additionalProperties") {
      schema[key] = SchemaOf(entry.second);
    } else {
      schema[key] = ValueOf(entry.second);
    }
  }
  return schema;
}

Json EditorSchema() {
  const YAML::Node version = YAML::LoadFile("crds/attributionrulesets.yaml")["spec"]["versions"][0];
  const YAML::Node whole = version["schema"]["openAPIV3Schema"];
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                 {"title", "AttributionRuleset"},
                 {"description", whole["description"].Scalar()},
                 {"type", "object"},
                 {"required", {"apiVersion", "kind", "spec"}}};
  Json& properties = schema["properties"];
  properties["apiVersion"] = {{"const", "attribution.dev/" + version["name"].Scalar()}};
  properties["kind"] = {{"const", "AttributionRuleset"}};
  properties["metadata"] = {{"type", "object"}};
  properties["spec"] = SchemaOf(whole["properties"]["spec"]);
  return schema;
}

TEST(EditorSchemaTest, SaysWhatTheManifestSays) {
  const std::string expected = EditorSchema().dump(1) + '\n';
  std::ifstream file(kSchemaFile);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (text == expected) return;
  const std::string made = testing::TempDir() + "attribution-ruleset-schema.json";
  std::ofstream(made) << expected;
  FAIL() << kSchemaFile << " is not what crds/attributionrulesets.yaml says: cp " << made << ' '
         << kSchemaFile;
}

}  // namespace
}  // namespace crds
