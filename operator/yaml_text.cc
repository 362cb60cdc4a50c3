// SPDX-License-Identifier: Apache-2.0
#include "operator/yaml_text.h"

#include <nlohmann/json.hpp>

#include "operator/visible_text.h"

namespace app {
namespace {

using Json = nlohmann::ordered_json;

// A JSON string is a YAML double-quoted scalar. What VisibleText escapes (YAML forbids C1 controls
// and breaks lines at U+2028, JSON does not) reads back as the same character: its escapes are
// YAML's.
std::string Scalar(const Json& value) {
  return VisibleText(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

bool IsPlainKey(const std::string& key) {
  if (key.empty() || key.size() > 64) return false;
  // Words that YAML 1.1 readers take for a bool or null.
  for (const char* word : {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}) {
    if (key == word) return false;
  }
  if ((key[0] < 'a' || key[0] > 'z') && (key[0] < 'A' || key[0] > 'Z')) return false;
  for (const char c : key) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '-' || c == '.' || c == '/';
    if (!plain) return false;
  }
  return true;
}

void Write(const Json& value, std::size_t indent, std::string& out);

void WriteChild(const Json& value, std::size_t indent, std::string& out) {
  if (value.is_structured() && !value.empty()) {
    out += '\n';
    Write(value, indent, out);
  } else {
    out += ' ';
    Write(value, indent, out);
  }
}

void Write(const Json& value, std::size_t indent, std::string& out) {
  if (value.is_object() && !value.empty()) {
    for (const auto& [key, child] : value.items()) {
      out.append(indent, ' ');
      out += IsPlainKey(key) ? key : Scalar(Json(key));
      out += ':';
      // The items of a list stand at the same depth as its key, as kubectl writes them.
      WriteChild(child, child.is_array() ? indent : indent + 2, out);
    }
  } else if (value.is_array() && !value.empty()) {
    for (const Json& child : value) {
      std::string item;
      Write(child, indent + 2, item);
      out.append(indent, ' ');
      out += "- ";
      // A nested block starts on the line of its dash.
      out += child.is_structured() && !child.empty() ? item.substr(indent + 2) : item;
    }
  } else {
    out += value.is_array() ? "[]" : value.is_object() ? "{}" : Scalar(value);
    out += '\n';
  }
}

}  // namespace

std::string YamlText(const Json& value) {
  std::string out;
  Write(value, 0, out);
  return out;
}

}  // namespace app
