// SPDX-License-Identifier: Apache-2.0
// Reads the fields of one map of a document and says what is wrong with them, with the place.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/rules/document.h"
#include "engine/rules/model.h"
#include "engine/ruleset.h"

namespace engine {

inline constexpr std::size_t kMaxProblems = 100;
inline constexpr std::size_t kMaxNameBytes = 128;  // of rules and symptoms
inline constexpr std::size_t kMaxPatternBytes = 1024;
inline constexpr std::size_t kMaxLineBytes = 4096;  // of examples and tests

// Every problem is made here: its texts are cut and made printable, they may quote the document.
RulesetProblem MakeProblem(RulesetProblem problem);

// Problems of one file.
struct ProblemList {
  std::string file;
  std::vector<RulesetProblem> problems;

  // What is beyond kMaxProblems is dropped.
  void Add(const DocumentNode& node, const std::string& path, const std::string& rule,
           const std::string& message);
};

// Missing and wrong fields are reported once and read as empty, so that reading goes on and all
// problems are found at once. An explicit null is a field left out.
class FieldReader {
 public:
  // `node`, `problems` must outlive it. Reports when `node` is no map.
  FieldReader(const DocumentNode& node, std::string path, ProblemList& problems);

  // Whose fields these are, for the problems that follow.
  void SetRule(std::string rule) { rule_ = std::move(rule); }

  // Printable strings of at most `max` bytes; empty ones are refused where required.
  std::string RequiredString(const char* key, std::size_t max = kMaxNameBytes);
  std::string OptionalString(const char* key, std::size_t max = kMaxNameBytes);
  std::int64_t Integer(const char* key, std::int64_t otherwise, std::int64_t min, std::int64_t max);
  // Printable and not empty.
  std::vector<std::string> Strings(const char* key, std::size_t max_items,
                                   std::size_t max_bytes = kMaxNameBytes);
  // Lines of evidence, which may hold anything.
  std::vector<std::string> Lines(const char* key, std::size_t max_items);
  // One of `allowed`; reports and returns the first of them otherwise. Not required and not there:
  // empty.
  std::string Choice(const char* key, const std::vector<std::string>& allowed, bool required);
  std::optional<Source> OneSource(const char* key);
  std::vector<Source> Sources(const char* key);
  // Workload if left out. `pool` tells whether Pool is one.
  Scope ReadScope(const char* key, bool pool);
  // The map or list at `key`; null when it isn't there (reported if required).
  const DocumentNode* Map(const char* key, bool required = false);
  const DocumentNode* List(const char* key, std::size_t max_items);
  // Whether the field is there, whatever it is.
  bool Has(const char* key) const;
  // Whether the list is not there or holds nothing.
  bool HasNone(const char* key) const;

  // Reports every field that was not asked for. Last.
  void RefuseOthers();

  void Problem(const char* key, const std::string& message);
  std::string PathOf(const char* key) const;
  const std::string& rule() const { return rule_; }

 private:
  const DocumentNode* Take(const char* key);
  bool IsScalar(const DocumentNode& node, const std::string& path, std::size_t max);
  bool IsPrintable(const DocumentNode& node, const std::string& path, std::size_t max);

  const DocumentNode& node_;
  const std::string path_;
  ProblemList& problems_;
  std::string rule_;
  std::set<std::string, std::less<>> taken_;
};

}  // namespace engine
