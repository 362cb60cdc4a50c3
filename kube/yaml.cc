// SPDX-License-Identifier: Apache-2.0
#include "kube/yaml.h"

#include <yaml-cpp/yaml.h>

#include <charconv>
#include <nlohmann/json.hpp>

namespace kube {
namespace {

Json ScalarOf(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  // yaml-cpp tags quoted scalars "!" and plain ones "?".
  if (node.Tag() == "!") return text;
  if (text.empty() || text == "~" || text == "null") return nullptr;
  if (text == "true" || text == "false") return text == "true";
  std::int64_t integer = 0;
  const char* const end = text.data() + text.size();
  if (const auto [rest, error] = std::from_chars(text.data(), end, integer);
      error == std::errc() && rest == end) {
    return integer;
  }
  double real = 0;
  if (const auto [rest, error] = std::from_chars(text.data(), end, real);
      error == std::errc() && rest == end &&
      text.find_first_of("0123456789") != std::string::npos) {
    return real;
  }
  return text;
}

}  // namespace

Json JsonFromYaml(const YAML::Node& node) {
  switch (node.Type()) {
    case YAML::NodeType::Undefined:
    case YAML::NodeType::Null:
      return nullptr;
    case YAML::NodeType::Scalar:
      return ScalarOf(node);
    case YAML::NodeType::Sequence: {
      Json list = Json::array();
      for (const YAML::Node& item : node) list.push_back(JsonFromYaml(item));
      return list;
    }
    case YAML::NodeType::Map: {
      Json object = Json::object();
      for (const auto& entry : node) object[entry.first.Scalar()] = JsonFromYaml(entry.second);
      return object;
    }
  }
  return nullptr;
}

}  // namespace kube
