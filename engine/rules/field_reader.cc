// SPDX-License-Identifier: Apache-2.0
#include "engine/rules/field_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "engine/extract/visible_line.h"

namespace engine {
namespace {

constexpr std::size_t kMaxPathShown = 256;
constexpr std::size_t kMaxMessage = 1024;
constexpr std::size_t kMaxValueShown = 64;

const std::vector<std::string> kSourceNames = {"AppLog",        "Kernel",     "Syslog",
                                               "Kubelet",       "PodStatus",  "Event",
                                               "NodeCondition", "NodeMetric", "Scheduler"};
const std::vector<std::string> kScopeNames = {"Workload", "Process", "GPU", "Node", "Fabric"};

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

// What stands there instead of what was expected.
std::string Shown(const DocumentNode& node) {
  return node.type == DocumentNode::Type::kScalar ? '"' + CutLine(node.scalar, kMaxValueShown) + '"'
                                                  : std::string(TypeName(node.type));
}

Scope ScopeNamed(std::string_view name) {
  if (name == "Process") return Scope::kProcess;
  if (name == "GPU") return Scope::kGpu;
  if (name == "Node") return Scope::kNode;
  if (name == "Fabric") return Scope::kFabric;
  if (name == "Pool") return Scope::kPool;
  return Scope::kWorkload;
}

}  // namespace

RulesetProblem MakeProblem(RulesetProblem problem) {
  problem.file = CutLine(VisibleLine(problem.file), kMaxPathShown);
  problem.path = CutLine(VisibleLine(problem.path), kMaxPathShown);
  problem.rule = CutLine(VisibleLine(problem.rule), kMaxNameBytes);
  problem.message = CutLine(VisibleLine(problem.message), kMaxMessage);
  return problem;
}

void ProblemList::Add(const DocumentNode& node, const std::string& path, const std::string& rule,
                      const std::string& message) {
  if (problems.size() >= kMaxProblems) return;
  problems.push_back(MakeProblem({file, path, rule, message, node.line, node.column}));
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

bool FieldReader::Has(const char* key) const {
  const DocumentNode* const found = node_.Find(key);
  return found != nullptr && found->type != DocumentNode::Type::kNull;
}

bool FieldReader::HasNone(const char* key) const {
  const DocumentNode* const found = node_.Find(key);
  return !Has(key) || (found->type == DocumentNode::Type::kList && found->items.empty());
}

const DocumentNode* FieldReader::Take(const char* key) {
  taken_.insert(key);
  return Has(key) ? node_.Find(key) : nullptr;
}

bool FieldReader::IsScalar(const DocumentNode& node, const std::string& path, std::size_t max) {
  if (node.type != DocumentNode::Type::kScalar) {
    problems_.Add(node, path, rule_, fmt::format("expected a string, got {}", TypeName(node.type)));
    return false;
  }
  if (node.scalar.size() > max) {
    problems_.Add(node, path, rule_,
                  fmt::format("{} bytes long; at most {} are allowed", node.scalar.size(), max));
    return false;
  }
  return true;
}

bool FieldReader::IsPrintable(const DocumentNode& node, const std::string& path, std::size_t max) {
  if (!IsScalar(node, path, max)) return false;
  if (VisibleLine(node.scalar) == node.scalar) return true;
  problems_.Add(node, path, rule_,
                "holds a line break or another control character; remove it (in a pattern write "
                "\\n or \\x1b)");
  return false;
}

std::string FieldReader::RequiredString(const char* key, std::size_t max) {
  const DocumentNode* const value = Take(key);
  if (value == nullptr || (value->type == DocumentNode::Type::kScalar && value->scalar.empty())) {
    Problem(key, "is required");
    return {};
  }
  return IsPrintable(*value, PathOf(key), max) ? value->scalar : std::string();
}

std::string FieldReader::OptionalString(const char* key, std::size_t max) {
  const DocumentNode* const value = Take(key);
  return value != nullptr && IsPrintable(*value, PathOf(key), max) ? value->scalar : std::string();
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
    Problem(key, fmt::format("is {}; a whole number from {} to {} is expected", Shown(*value), min,
                             max));
    return otherwise;
  }
  return number;
}

std::vector<std::string> FieldReader::Strings(const char* key, std::size_t max_items,
                                              std::size_t max_bytes) {
  std::vector<std::string> strings;
  const DocumentNode* const list = List(key, max_items);
  if (list == nullptr) return strings;
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    const DocumentNode& item = list->items[i];
    const std::string path = fmt::format("{}[{}]", PathOf(key), i);
    if (item.type == DocumentNode::Type::kNull ||
        (item.type == DocumentNode::Type::kScalar && item.scalar.empty())) {
      problems_.Add(item, path, rule_, "is empty");
    } else if (IsPrintable(item, path, max_bytes)) {
      strings.push_back(item.scalar);
    }
  }
  return strings;
}

std::vector<std::string> FieldReader::Lines(const char* key, std::size_t max_items) {
  std::vector<std::string> lines;
  const DocumentNode* const list = List(key, max_items);
  if (list == nullptr) return lines;
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    const DocumentNode& item = list->items[i];
    const std::string path = fmt::format("{}[{}]", PathOf(key), i);
    if (IsScalar(item, path, kMaxLineBytes)) lines.push_back(item.scalar);
  }
  return lines;
}

std::string FieldReader::Choice(const char* key, const std::vector<std::string>& allowed,
                                bool required) {
  const DocumentNode* const value = Take(key);
  if (value == nullptr && !required) return {};
  if (value == nullptr || value->type != DocumentNode::Type::kScalar ||
      std::find(allowed.begin(), allowed.end(), value->scalar) == allowed.end()) {
    Problem(key,
            fmt::format("is {}; {}{} is expected", value == nullptr ? "missing" : Shown(*value),
                        allowed.size() == 1 ? "" : "one of ", fmt::join(allowed, ", ")));
    return allowed.front();
  }
  return value->scalar;
}

std::optional<Source> FieldReader::OneSource(const char* key) {
  const DocumentNode* const value = Take(key);
  const auto source = value == nullptr ? std::nullopt : ParseSource(value->scalar);
  // The other spellings that are understood elsewhere would not pass the resource's schema.
  if (source && ToString(*source) == value->scalar) return source;
  Problem(key,
          fmt::format("is {}; one of {} is expected", value == nullptr ? "missing" : Shown(*value),
                      fmt::join(kSourceNames, ", ")));
  return std::nullopt;
}

std::vector<Source> FieldReader::Sources(const char* key) {
  std::vector<Source> sources;
  for (const std::string& name : Strings(key, kSourceNames.size())) {
    const auto source = ParseSource(name);
    if (!source || ToString(*source) != name) {
      Problem(key, fmt::format("\"{}\" is no source; one of {} is expected",
                               CutLine(name, kMaxValueShown), fmt::join(kSourceNames, ", ")));
    } else if (std::find(sources.begin(), sources.end(), *source) != sources.end()) {
      Problem(key, fmt::format("\"{}\" stands twice", name));
    } else {
      sources.push_back(*source);
    }
  }
  return sources;
}

Scope FieldReader::ReadScope(const char* key, bool pool) {
  std::vector<std::string> names = kScopeNames;
  if (pool) names.emplace_back("Pool");
  return ScopeNamed(Choice(key, names, /*required=*/false));
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
  const std::string message = fmt::format("unknown field; known are {}", fmt::join(taken_, ", "));
  for (const DocumentNode& key : node_.keys) {
    if (taken_.contains(key.scalar)) continue;
    if (problems_.problems.size() >= kMaxProblems) return;
    problems_.Add(key, PathOf(key.scalar.c_str()), rule_, message);
  }
}

}  // namespace engine
