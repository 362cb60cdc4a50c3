// SPDX-License-Identifier: Apache-2.0
// Of each pattern it is known which literals a match must hold one of. All literals of a source are
// found in one pass over a buffer, and a pattern is only run on a line that holds one of its own.
#include "engine/extract/matchers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/extract/matchers_impl.h"
#include "engine/extract/required_literals.h"
#include "engine/rules/prepared_rules.h"

namespace engine {
namespace {

// For one source. Compiling more takes seconds, and they make every line slow; the built-in rules
// need less than a tenth.
constexpr std::size_t kMaxLiterals = 20'000;

std::vector<std::string> LiteralsOf(const std::string& pattern) {
  const PreparedPattern* const known = PreparedRules::Builtin().FindPattern(pattern);
  return known != nullptr ? known->literals : RequiredLiterals(pattern);
}

// By the text alone: a pattern that only looks as if it had such a group is a little slower.
bool GroupsLocate(const ExtractorRule& rule) {
  if (!rule.table.empty() || rule.counter) return true;
  const auto has = [&](const char* group) { return rule.match.find(group) != std::string::npos; };
  return has("(?P<node>") || has("(?P<rank>") || has("(?P<pci>") || has("(?P<uuid>") ||
         has("(?P<gpu>");
}

std::unique_ptr<const LiteralMatcher> MatcherOf(const std::vector<std::string>& literals,
                                                std::string* error) {
  const std::string_view known = PreparedRules::Builtin().FindMatcher(literals);
  if (!known.empty()) {
    if (auto matcher = LiteralMatcher::Deserialize(known)) return matcher;
  }
  return LiteralMatcher::Compile(literals, error);
}

}  // namespace

bool Matchers::Impl::Build(const RuleModel& model, std::vector<RulesetProblem>& problems) {
  std::array<std::map<std::string, std::vector<int>>, kSourceCount> literals;
  struct Largest {
    std::string path;
    std::string rule;
    std::size_t literals = 0;
  };
  std::array<Largest, kSourceCount> largest;
  const auto add = [&](const std::string& match, const std::vector<Source>& sources,
                       const std::string& path, const std::string& rule) {
    const int index = static_cast<int>(patterns_.size()) - 1;
    const std::vector<std::string> required = LiteralsOf(match);
    if (required.empty()) {
      problems.push_back(
          {.path = path,
           .rule = rule,
           .message = fmt::format("has no literal of at least {} bytes that every match contains, "
                                  "which would make every line slow; add some of the fixed text",
                                  kMinLiteralBytes)});
    }
    for (const Source source : sources) {
      const auto of = static_cast<std::size_t>(source);
      for (const std::string& literal : required) literals.at(of)[literal].push_back(index);
      if (required.size() > largest.at(of).literals) {
        largest.at(of) = {path, rule, required.size()};
      }
    }
  };
  for (const ExtractorRule& rule : model.extractors) {
    const RecordRule record = rule.record.value_or(RecordRule());
    patterns_.emplace_back(rule.match, rule.unless, record.continue_pattern, record.require);
    patterns_.back().groups_locate = GroupsLocate(rule);
    add(rule.match, rule.sources, rule.path, rule.name);
  }
  extractor_count_ = static_cast<int>(patterns_.size());
  for (const CollectorRule& rule : model.collectors) {
    patterns_.emplace_back(rule.match, "", "", "");
    add(rule.match, rule.sources, rule.path, rule.name);
  }
  if (!problems.empty()) return false;

  for (std::size_t source = 0; source < kSourceCount; ++source) {
    SourceLiterals& of = sources_.at(source);
    if (literals.at(source).empty()) continue;
    if (literals.at(source).size() > kMaxLiterals) {
      problems.push_back(
          {.path = largest.at(source).path,
           .rule = largest.at(source).rule,
           .message = fmt::format("what reads {} looks for {} different literals, this rule for "
                                  "the most; at most {} are allowed: write fewer alternatives",
                                  ToString(static_cast<Source>(source)), literals.at(source).size(),
                                  kMaxLiterals)});
      return false;
    }
    for (auto& [literal, patterns] : literals.at(source)) {
      of.literals.push_back(literal);
      of.patterns.push_back(std::move(patterns));
    }
    std::string error;
    of.matcher = MatcherOf(of.literals, &error);
    if (of.matcher == nullptr) {
      problems.push_back({.message = fmt::format("the literals cannot be compiled: {}", error)});
      return false;
    }
  }
  return true;
}

void Matchers::Impl::Scan(Source source, std::string_view text,
                          std::vector<LiteralHit>& hits) const {
  const LiteralMatcher* const matcher = Of(source).matcher.get();
  if (matcher != nullptr) matcher->Scan(text, hits);
}

void Matchers::Impl::AddCandidates(Source source, int literal, std::vector<int>& patterns) const {
  const std::vector<int>& of_literal = Of(source).patterns[static_cast<std::size_t>(literal)];
  if (patterns.empty()) {
    patterns = of_literal;
    return;
  }
  for (const int pattern : of_literal) {
    const auto at = std::lower_bound(patterns.begin(), patterns.end(), pattern);
    if (at == patterns.end() || *at != pattern) patterns.insert(at, pattern);
  }
}

std::unique_ptr<MatchMemo> Matchers::Impl::TakeMemo() const {
  const std::lock_guard lock(memos_mutex_);
  if (memos_.empty()) return std::make_unique<MatchMemo>();
  std::unique_ptr<MatchMemo> memo = std::move(memos_.back());
  memos_.pop_back();
  return memo;
}

void Matchers::Impl::GiveBack(std::unique_ptr<MatchMemo> memo) const {
  const std::lock_guard lock(memos_mutex_);
  memos_.push_back(std::move(memo));
}

Matchers::Matchers(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Matchers::~Matchers() = default;

std::shared_ptr<const Matchers> Matchers::Compile(const RuleModel& model,
                                                  std::vector<RulesetProblem>& problems) {
  auto impl = std::make_unique<Impl>();
  if (!impl->Build(model, problems)) return nullptr;
  return std::shared_ptr<const Matchers>(new Matchers(std::move(impl)));
}

}  // namespace engine
