// SPDX-License-Identifier: Apache-2.0
#include "engine/rules/field_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace engine {
namespace {

std::string_view TypeName(DocumentNode::Type type) {
  switch (type) {
    case DocumentNode::Type::kNull:
      return "nothing";
    case DocumentNode::Type::kScalar:
      return "a single value";
    case DocumentNode::Type::kList:
      return "a list";
    case DocumentNode::Type::kMap:
      return "a map";
  }
  return "nothing";
}

}  // namespace

void ProblemList::Add(const DocumentNode& node, const std::string& path, const std::string& rule,
                      const std::string& message) {
  if (problems.size() >= kMaxProblems) return;
  problems.push_back({file, path, rule, message, node.line, node.column});
}

FieldReader::FieldReader(const DocumentNode& node, std::string path, ProblemList& problems)
    : node_(node), path_(std::move(path)), problems_(problems) {
  if (node.type != DocumentNode::Type::kMap) {
    problems_.Add(node, path_, rule_, fmt::format("expected a map, got {}", TypeName(node.type)));
  }
}

std::string FieldReader::PathOf(const char* key) const {
  return path_.empty() ? key : path_ + '.' + key;
}

void FieldReader::Problem(const char* key, const std::string& message) {
  const DocumentNode* const at = node_.Find(key);
  problems_.Add(at != nullptr ? *at : node_, PathOf(key), rule_, message);
}

const DocumentNode* FieldReader::Take(const char* key) {
  taken_.insert(key);
  const DocumentNode* const found = node_.Find(key);
  return found != nullptr && found->type != DocumentNode::Type::kNull ? found : nullptr;
}

bool FieldReader::IsString(const DocumentNode& node, const char* key, std::size_t max) {
  if (node.type != DocumentNode::Type::kScalar) {
    problems_.Add(node, PathOf(key), rule_,
                  fmt::format("expected a string, got {}", TypeName(node.type)));
    return false;
  }
  if (node.scalar.size() > max) {
    problems_.Add(node, PathOf(key), rule_,
                  fmt::format("{} bytes long; at most {} are allowed", node.scalar.size(), max));
    return false;
  }
  return true;
}

std::string FieldReader::RequiredString(const char* key, std::size_t max) {
  const DocumentNode* const value = Take(key);
  if (value == nullptr || (value->type == DocumentNode::Type::kScalar && value->scalar.empty())) {
    Problem(key, "is required");
    return {};
  }
  return IsString(*value, key, max) ? value->scalar : std::string();
}

std::string FieldReader::OptionalString(const char* key, std::size_t max) {
  const DocumentNode* const value = Take(key);
  return value != nullptr && IsString(*value, key, max) ? value->scalar : std::string();
}

std::int64_t FieldReader::Integer(const char* key, std::int64_t otherwise, std::int64_t min,
                                  std::int64_t max) {
  const DocumentNode* const value = Take(key);
  if (value == nullptr) return otherwise;
  std::int64_t number = 0;
  const std::string& text = value->scalar;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (value->type != DocumentNode::Type::kScalar || error != std::errc() ||
      rest != text.data() + text.size() || number < min || number > max) {
    Problem(key, fmt::format("expected a whole number from {} to {}", min, max));
    return otherwise;
  }
  return number;
}

std::vector<std::string> FieldReader::Strings(const char* key, std::size_t max_items,
                                              std::size_t max_bytes) {
  std::vector<std::string> strings;
  const DocumentNode* const list = List(key, max_items);
  if (list == nullptr) return strings;
  for (const DocumentNode& item : list->items) {
    if (item.type == DocumentNode::Type::kNull) {
      problems_.Add(item, PathOf(key), rule_, "an item is empty");
    } else if (IsString(item, key, max_bytes)) {
      strings.push_back(item.scalar);
    }
  }
  return strings;
}

std::string FieldReader::Choice(const char* key, const std::vector<std::string>& allowed,
                                bool required) {
  const DocumentNode* const value = Take(key);
  if (value == nullptr && !required) return {};
  if (value == nullptr || value->type != DocumentNode::Type::kScalar ||
      std::find(allowed.begin(), allowed.end(), value->scalar) == allowed.end()) {
    Problem(key, fmt::format("is {}; one of {} is expected",
                             value == nullptr ? "missing" : '"' + value->scalar + '"',
                             fmt::join(allowed, ", ")));
    return allowed.front();
  }
  return value->scalar;
}

std::vector<Source> FieldReader::Sources(const char* key) {
  std::vector<Source> sources;
  for (const std::string& name : Strings(key, 9)) {
    const auto source = ParseSource(name);
    if (!source || ToString(*source) != name) {
      Problem(key, fmt::format("\"{}\" is no source; one of AppLog, Kernel, Syslog, Kubelet, "
                               "PodStatus, Event, NodeCondition, NodeMetric, Scheduler is expected",
                               name));
    } else {
      sources.push_back(*source);
    }
  }
  return sources;
}

const DocumentNode* FieldReader::Map(const char* key, bool required) {
  const DocumentNode* const value = Take(key);
  if (value == nullptr) {
    if (required) Problem(key, "is required");
    return nullptr;
  }
  if (value->type != DocumentNode::Type::kMap) {
    Problem(key, fmt::format("expected a map, got {}", TypeName(value->type)));
    return nullptr;
  }
  return value;
}

const DocumentNode* FieldReader::List(const char* key, std::size_t max_items) {
  const DocumentNode* const value = Take(key);
  if (value == nullptr) return nullptr;
  if (value->type != DocumentNode::Type::kList) {
    Problem(key, fmt::format("expected a list, got {}", TypeName(value->type)));
    return nullptr;
  }
  if (value->items.size() > max_items) {
    Problem(key, fmt::format("{} items; at most {} are allowed", value->items.size(), max_items));
    return nullptr;
  }
  return value;
}

void FieldReader::RefuseOthers() {
  for (const DocumentNode& key : node_.keys) {
    if (taken_.contains(key.scalar)) continue;
    problems_.Add(key, path_.empty() ? key.scalar : path_ + '.' + key.scalar, rule_,
                  fmt::format("unknown field; known are {}", fmt::join(taken_, ", ")));
  }
}

}  // namespace engine
