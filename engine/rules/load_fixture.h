// SPDX-License-Identifier: Apache-2.0
// For tests of the loader: a small good ruleset, changed at one place, and what is said of it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/ruleset.h"

namespace engine {

inline constexpr char kGoodRules[] = R"(catalog:
- id: a
  title: A
  domain: User
  role: Root
  scope: Process
  establishedBy: [AppLog]
- {id: b, title: B, domain: Platform, role: Ambiguous, scope: Node}
extractors:
- name: finds-a
  symptom: a
  sources: [AppLog]
  match: 'alpha (?P<value>\d+)'
  examples:
    match: ['alpha 1']
    noMatch: ['beta']
- {name: finds-b, table: words, sources: [Kernel], match: '^beta (?P<code>\w+)', examples: {match: [beta b]}}
tables:
- {name: words, rows: [{key: b, symptom: b}]}
refiners:
- {name: b-explains, explain: {cause: b, effects: [a]}}
collectors:
- {name: alphas, sources: [AppLog], match: 'alpha (?P<value>\d+)'}
tests:
- name: alpha
  evidence:
  - {source: AppLog, lines: ['alpha 1']}
  expect: {result: Failed, domain: User, symptom: a, rule: finds-a}
)";

// The good rules with the first `from` replaced by `to`.
inline std::string Replaced(const std::string& from, const std::string& to) {
  std::string text = kGoodRules;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

inline std::string Words(const RulesetProblem& problem) {
  return problem.path + " (" + problem.rule + ") " + std::to_string(problem.line) + ':' +
         std::to_string(problem.column) + ": " + problem.message;
}

inline std::vector<std::string> Words(const std::vector<RulesetProblem>& problems) {
  std::vector<std::string> words;
  for (const RulesetProblem& problem : problems) words.push_back(Words(problem));
  return words;
}

// "path (rule) line:column: message" of each problem of one document.
inline std::vector<std::string> Problems(const std::string& text) {
  const RulesetLoad load = Ruleset::Load({{"site", text}});
  EXPECT_EQ(load.ruleset == nullptr, !load.problems.empty());
  for (const RulesetProblem& problem : load.problems) EXPECT_EQ(problem.file, "site");
  return Words(load.problems);
}

inline std::vector<std::string> Warnings(const std::string& text) {
  const RulesetLoad load = Ruleset::Load({{"site", text}});
  EXPECT_THAT(Words(load.problems), testing::IsEmpty());
  return Words(load.warnings);
}

}  // namespace engine
