// SPDX-License-Identifier: Apache-2.0
#include "controllers/policy/label_selector.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <string_view>

namespace controllers {
namespace {

using kube::Json;

bool IsAlphanumeric(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

// A label value, or the name part of a key: at most 63 characters, alphanumeric at both ends.
bool IsLabelText(std::string_view text) {
  if (text.size() > 63) return false;
  if (text.empty()) return true;
  if (!IsAlphanumeric(text.front()) || !IsAlphanumeric(text.back())) return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

bool IsDnsName(std::string_view text) {
  if (text.empty() || text.size() > 253) return false;
  if (!IsAlphanumeric(text.front()) || !IsAlphanumeric(text.back())) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  });
}

bool IsLabelKey(std::string_view key) {
  const std::size_t slash = key.find('/');
  const std::string_view name = slash == std::string_view::npos ? key : key.substr(slash + 1);
  if (name.empty() || !IsLabelText(name)) return false;
  return slash == std::string_view::npos || IsDnsName(key.substr(0, slash));
}

std::string CheckPair(const std::string& where, const std::string& key, const std::string& value) {
  if (!IsLabelKey(key)) return fmt::format("{}: \"{}\" is not a label key", where, key);
  if (!IsLabelText(value)) return fmt::format("{}: \"{}\" is not a label value", where, value);
  return {};
}

}  // namespace

std::optional<LabelSelector> LabelSelector::Parse(const Json& selector, std::string* problem) {
  LabelSelector result;
  const auto fail = [&](std::string message) {
    if (problem != nullptr) *problem = std::move(message);
    return std::nullopt;
  };
  if (selector.is_null()) return result;
  if (!selector.is_object()) return fail("not an object");
  if (const auto labels = selector.find("matchLabels"); labels != selector.end()) {
    if (!labels->is_object()) return fail("matchLabels: not a map");
    for (const auto& [key, value] : labels->items()) {
      if (!value.is_string()) return fail(fmt::format("matchLabels[{}]: not a string", key));
      const auto text = value.get<std::string>();
      if (auto bad = CheckPair(fmt::format("matchLabels[{}]", key), key, text); !bad.empty()) {
        return fail(std::move(bad));
      }
      result.requirements_.push_back({key, Operator::kIn, {text}});
    }
  }
  const auto expressions = selector.find("matchExpressions");
  if (expressions == selector.end()) return result;
  if (!expressions->is_array()) return fail("matchExpressions: not a list");
  for (std::size_t i = 0; i < expressions->size(); ++i) {
    const Json& expression = (*expressions)[i];
    const std::string where = fmt::format("matchExpressions[{}]", i);
    Requirement requirement{.key = kube::StringAt(expression, "/key"), .values = {}};
    const std::string op = kube::StringAt(expression, "/operator");
    if (op == "In") {
      requirement.op = Operator::kIn;
    } else if (op == "NotIn") {
      requirement.op = Operator::kNotIn;
    } else if (op == "Exists") {
      requirement.op = Operator::kExists;
    } else if (op == "DoesNotExist") {
      requirement.op = Operator::kDoesNotExist;
    } else {
      return fail(
          fmt::format("{}.operator: \"{}\" is none of In, NotIn, Exists, DoesNotExist", where, op));
    }
    if (auto bad = CheckPair(where + ".key", requirement.key, ""); !bad.empty()) {
      return fail(std::move(bad));
    }
    if (const auto values = expression.find("values"); values != expression.end()) {
      if (!values->is_array()) return fail(where + ".values: not a list");
      for (const Json& value : *values) {
        if (!value.is_string()) return fail(where + ".values: not a string");
        requirement.values.push_back(value.get<std::string>());
        if (auto bad = CheckPair(where + ".values", requirement.key, requirement.values.back());
            !bad.empty()) {
          return fail(std::move(bad));
        }
      }
    }
    const bool needs_values = requirement.op == Operator::kIn || requirement.op == Operator::kNotIn;
    if (needs_values == requirement.values.empty()) {
      return fail(fmt::format("{}.values: {} {}", where, op,
                              needs_values ? "needs at least one value" : "takes no values"));
    }
    result.requirements_.push_back(std::move(requirement));
  }
  return result;
}

bool LabelSelector::Matches(const std::map<std::string, std::string>& labels) const {
  return std::all_of(requirements_.begin(), requirements_.end(), [&](const Requirement& r) {
    const auto found = labels.find(r.key);
    const bool listed = found != labels.end() && std::find(r.values.begin(), r.values.end(),
                                                           found->second) != r.values.end();
    switch (r.op) {
      case Operator::kIn:
        return listed;
      case Operator::kNotIn:
        return !listed;
      case Operator::kExists:
        return found != labels.end();
      case Operator::kDoesNotExist:
        return found == labels.end();
    }
    return false;
  });
}

std::string LabelSelector::ToQuery() const {
  std::string query;
  for (const Requirement& r : requirements_) {
    if (!query.empty()) query += ',';
    switch (r.op) {
      case Operator::kIn:
        query += fmt::format("{} in ({})", r.key, fmt::join(r.values, ","));
        break;
      case Operator::kNotIn:
        query += fmt::format("{} notin ({})", r.key, fmt::join(r.values, ","));
        break;
      case Operator::kExists:
        query += r.key;
        break;
      case Operator::kDoesNotExist:
        query += "!" + r.key;
        break;
    }
  }
  return query;
}

}  // namespace controllers
