// SPDX-License-Identifier: Apache-2.0
#include "operator/yaml_text.h"

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <nlohmann/json.hpp>

namespace app {
namespace {

using Json = nlohmann::ordered_json;

TEST(YamlText, WritesBlocks) {
  const Json value = Json::parse(R"({"verdict":{"result":"Failed","actions":["a","b"]},
      "symptoms":[{"id":"s1","count":2},{"id":"s2","rank":null}],"tail":[],"root":{}})");
  EXPECT_EQ(YamlText(value),
            "verdict:\n"
            "  result: \"Failed\"\n"
            "  actions:\n"
            "  - \"a\"\n"
            "  - \"b\"\n"
            "symptoms:\n"
            "- id: \"s1\"\n"
            "  count: 2\n"
            "- id: \"s2\"\n"
            "  rank: null\n"
            "tail: []\n"
            "root: {}\n");
}

TEST(YamlText, ReadsBackAsTheSameStrings) {
  for (const std::string text :
       {"true", "12", "2026-12-01", "a: b #c", "  x ", "\x1b[0m\t\"q\" \\ ", "größe 🙂", "\x7f",
        "\xc2\x9b", "\xe2\x80\xa8", "", "- a"}) {
    const std::string yaml = YamlText(Json{{"k", {text}}});
    EXPECT_EQ(YAML::Load(yaml)["k"][0].as<std::string>(), text) << yaml;
    for (const char c : yaml) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
  }
}

TEST(YamlText, QuotesKeysThatAreNoWords) {
  EXPECT_EQ(YamlText(Json{{"no", 1}, {"a b", 2}, {"attribution.dev/watch", 3}}),
            "\"no\": 1\n\"a b\": 2\nattribution.dev/watch: 3\n");
}

TEST(YamlText, NestsLists) {
  const Json value = Json::parse("[[1,2],[],[{\"a\":[3]}]]");
  EXPECT_EQ(YamlText(value), "- - 1\n  - 2\n- []\n- - a:\n    - 3\n");
  EXPECT_EQ(YAML::Load(YamlText(value))[2][0]["a"][0].as<int>(), 3);
}

}  // namespace
}  // namespace app
