// SPDX-License-Identifier: Apache-2.0
// What was worked out about the built-in rules when the program was built, so that it starts fast.
// All of it is found by content and is what working it out again would give: a text, a pattern or a
// set of literals that is not known here is read or compiled where it is needed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/rules/document.h"
#include "engine/ruleset.h"

namespace engine {

// Of a pattern that is a valid RE2.
struct PreparedPattern {
  std::vector<std::string> groups;    // names
  std::vector<std::string> literals;  // RequiredLiterals()
};

// Immutable and safe to use from any thread.
class PreparedRules {
 public:
  struct Contents {
    std::vector<RulesetDocument> documents;
    std::vector<std::vector<DocumentNode>> parsed;  // of each document
    std::map<std::string, PreparedPattern> patterns;
    // Literals, joined by Join(), and what LiteralMatcher::Serialize() gave.
    std::map<std::string, std::string> matchers;
  };
  // The bytes that the constructor reads.
  static std::string Encode(const Contents& contents);

  // Of the rules in config/rulesets/builtin.
  static const PreparedRules& Builtin();

  // `bytes` are those of Encode(), or empty: nothing is known. They must outlive it.
  explicit PreparedRules(std::string_view bytes);

  const std::vector<RulesetDocument>& documents() const { return documents_; }

  // nullopt, null, empty: not known.
  std::optional<std::vector<DocumentNode>> FindParsed(std::string_view text) const;
  const PreparedPattern* FindPattern(std::string_view pattern) const;
  std::string_view FindMatcher(const std::vector<std::string>& literals) const;

  static std::string Join(const std::vector<std::string>& literals);

 private:
  std::vector<RulesetDocument> documents_;
  std::vector<std::string_view> parsed_;  // of each document, still encoded
  std::map<std::string_view, PreparedPattern> patterns_;
  std::map<std::string_view, std::string_view> matchers_;
};

}  // namespace engine
