// SPDX-License-Identifier: Apache-2.0
// Reads the fields of one map of a document and says what is wrong with them, with the place.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/rules/document.h"
#include "engine/ruleset.h"

namespace engine {

inline constexpr std::size_t kMaxProblems = 100;

// Problems of one file, errors and warnings apart.
struct ProblemList {
  std::string file;
  std::vector<RulesetProblem> problems;

  void Add(const DocumentNode& node, const std::string& path, const std::string& rule,
           const std::string& message);
};

// Missing and wrong fields are reported once and read as empty, so that reading goes on and all
// problems are found at once.
class FieldReader {
 public:
  // `node`, `problems` must outlive it. Reports when `node` is no map.
  FieldReader(const DocumentNode& node, std::string path, ProblemList& problems);

  // Whose fields these are, for the problems that follow.
  void SetRule(std::string rule) { rule_ = std::move(rule); }

  std::string RequiredString(const char* key, std::size_t max = 1024);
  std::string OptionalString(const char* key, std::size_t max = 1024);
  std::int64_t Integer(const char* key, std::int64_t otherwise, std::int64_t min, std::int64_t max);
  std::vector<std::string> Strings(const char* key, std::size_t max_items,
                                   std::size_t max_bytes = 4096);
  // One of `allowed`; reports and returns the first of them otherwise.
  std::string Choice(const char* key, const std::vector<std::string>& allowed, bool required);
  std::vector<Source> Sources(const char* key);
  // The map or list at `key`; null when it isn't there (reported if required).
  const DocumentNode* Map(const char* key, bool required = false);
  const DocumentNode* List(const char* key, std::size_t max_items);

  // Reports every field that was not asked for. Last.
  void RefuseOthers();

  void Problem(const char* key, const std::string& message);
  std::string PathOf(const char* key) const;
  const std::string& rule() const { return rule_; }

 private:
  const DocumentNode* Take(const char* key);
  bool IsString(const DocumentNode& node, const char* key, std::size_t max);

  const DocumentNode& node_;
  const std::string path_;
  ProblemList& problems_;
  std::string rule_;
  std::set<std::string, std::less<>> taken_;
};

}  // namespace engine
