// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/extraction/rule_count.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "engine/extract/matchers.h"
#include "engine/rules/compiled_ruleset.h"

namespace bench {
namespace {

std::shared_ptr<const engine::Ruleset> Builtin() {
  engine::RulesetLoad load = engine::Ruleset::Load(engine::Ruleset::BuiltinDocuments());
  if (load.ruleset == nullptr) std::abort();
  return load.ruleset;
}

engine::ExtractorRule MadeUp(const engine::ExtractorRule& like, std::size_t number) {
  constexpr const char* kWhat[] = {"allocator",  "scheduler", "transport", "collective",
                                   "checkpoint", "tokenizer", "dataloader"};
  constexpr const char* kHow[] = {"failed to register", "gave up waiting for",
                                  "refused the request of", "lost its connection to",
                                  "returned an invalid"};
  engine::ExtractorRule rule = like;
  rule.name = fmt::format("made-up-{}", number);
  rule.match = fmt::format("{}{} {} (?P<value>\\S+): code {}", kWhat[number % 7], number / 7,
                           kHow[number % 5], number);
  return rule;
}

// What other programs refuse: a group's name that stands twice, an escape that isn't needed.
std::string Portable(const std::string& pattern) {
  constexpr std::string_view kNeedless = "'\"/,:;<>=!@%_~`";
  std::string portable;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern.compare(i, 4, "(?P<") == 0) {
      portable += '(';
      i = pattern.find('>', i);
    } else if (pattern[i] == '\\' && i + 1 < pattern.size()) {
      if (kNeedless.find(pattern[i + 1]) == std::string_view::npos) portable += '\\';
      portable += pattern[++i];
    } else {
      portable += pattern[i];
    }
  }
  return portable;
}

}  // namespace

std::shared_ptr<const engine::Ruleset> RulesetOf(std::size_t extractors) {
  std::shared_ptr<const engine::Ruleset> builtin = Builtin();
  if (extractors == 0) return builtin;
  engine::RuleModel model = engine::CompiledRuleset::From(*builtin).model();
  const std::vector<engine::ExtractorRule> all = std::exchange(model.extractors, {});
  model.collectors.clear();
  const std::size_t taken = std::min(extractors, all.size());
  for (std::size_t i = 0; i < taken; ++i) {
    model.extractors.push_back(all[i * all.size() / taken]);
  }
  const auto like = std::find_if(all.begin(), all.end(), [](const engine::ExtractorRule& rule) {
    return rule.table.empty() && !rule.record && !rule.counter &&
           rule.sources.front() == engine::Source::kAppLog;
  });
  for (std::size_t i = taken; i < extractors; ++i) model.extractors.push_back(MadeUp(*like, i));
  std::vector<engine::RulesetProblem> problems;
  auto matchers = engine::Matchers::Compile(model, problems);
  if (matchers == nullptr) std::abort();
  return std::make_shared<engine::CompiledRuleset>(std::move(model), "", std::move(matchers));
}

std::vector<std::string> PatternsOf(const engine::Ruleset& ruleset) {
  const engine::RuleModel& model = engine::CompiledRuleset::From(ruleset).model();
  std::vector<std::string> patterns;
  for (const engine::ExtractorRule& rule : model.extractors) {
    patterns.push_back(Portable(rule.match));
  }
  for (const engine::CollectorRule& rule : model.collectors) {
    patterns.push_back(Portable(rule.match));
  }
  return patterns;
}

std::vector<std::string> ErrorLines() {
  const std::shared_ptr<const engine::Ruleset> builtin = Builtin();
  std::vector<std::string> lines;
  for (const engine::ExtractorRule& rule :
       engine::CompiledRuleset::From(*builtin).model().extractors) {
    if (std::find(rule.sources.begin(), rule.sources.end(), engine::Source::kAppLog) ==
        rule.sources.end()) {
      continue;
    }
    lines.insert(lines.end(), rule.examples_match.begin(), rule.examples_match.end());
  }
  return lines;
}

}  // namespace bench
