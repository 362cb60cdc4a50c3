// SPDX-License-Identifier: Apache-2.0
#include "engine/authoring/pattern_warnings.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "engine/extract/required_literals.h"
#include "engine/extract/stream_reader.h"
#include "engine/rules/compiled_ruleset.h"
#include "engine/rules/pattern.h"

namespace engine {
namespace {

// Words that stand in so many lines that a pattern that only asks for one of them is tried on much
// of a log.
constexpr std::array<std::string_view, 20> kCommonWords = {
    "error", "failed", "failure",   "warning", "info", "debug",  "rank",
    "step",  "loss",   "iteration", "epoch",   "node", "kernel", "python",
    "torch", "tensor", "cuda",      "batch",   "time", "nccl"};

// Instructions of a compiled pattern. The largest built-in one has a fifth of it.
constexpr int kLargeProgram = 2'000;

bool IsCommon(std::string_view literal) {
  const std::size_t first = literal.find_first_not_of(" :=[]()\"'-_.,/");
  if (first == std::string_view::npos) return true;
  const std::size_t last = literal.find_last_not_of(" :=[]()\"'-_.,/");
  const std::string_view word = literal.substr(first, last - first + 1);
  return std::find(kCommonWords.begin(), kCommonWords.end(), word) != kCommonWords.end();
}

class Warner {
 public:
  explicit Warner(const CompiledRuleset& ruleset) : ruleset_(ruleset) {}

  std::vector<RulesetProblem> Run(const std::set<std::string>& documents) {
    const auto& extractors = ruleset_.model().extractors;
    for (std::size_t i = 0; i < extractors.size(); ++i) {
      const ExtractorRule& rule = extractors[i];
      const std::string document = rule.path.substr(0, rule.path.find(": "));
      if (!documents.empty() && !documents.contains(document)) continue;
      WarnOfNever(rule);
      WarnOfShadow(static_cast<int>(i), rule);
      WarnOfSlow(rule);
    }
    return std::move(warnings_);
  }

 private:
  void Add(const ExtractorRule& rule, const char* field, const std::string& message) {
    const std::size_t colon = rule.path.find(": ");
    warnings_.push_back(
        {.file = rule.path.substr(0, colon),
         .path = rule.path.substr(colon == std::string::npos ? 0 : colon + 2) + '.' + field,
         .rule = rule.name,
         .message = message});
  }

  void WarnOfNever(const ExtractorRule& rule) {
    const std::vector<std::string> literals = RequiredLiterals(rule.match);
    const auto each = [&](const auto& test) {
      return !literals.empty() && std::all_of(literals.begin(), literals.end(), test);
    };
    if (each([](const std::string& literal) { return literal.find('\n') != std::string::npos; })) {
      Add(rule, "match",
          "can never match: it asks for a line break, and a pattern sees one line; use `record` "
          "for "
          "several lines");
    }
    // In lower case, as what is required is.
    const RE2 unless("(?i)" + rule.unless, PatternOptions());
    if (!rule.unless.empty() && unless.ok() &&
        each([&](const std::string& literal) { return RE2::PartialMatch(literal, unless); })) {
      Add(rule, "unless", "can never match: each line that fits `match` fits this as well");
    }
  }

  // An extractor all examples of which another one takes for the same, wherever it reads.
  void WarnOfShadow(int index, const ExtractorRule& rule) {
    if (rule.symptom.empty() || rule.counter || rule.examples_match.empty()) return;
    std::set<int> others;
    bool first = true;
    for (const std::string& example : rule.examples_match) {
      for (const Source source : rule.sources) {
        const std::set<int> matched = Matched(source, example);
        if (first) others = matched;
        std::erase_if(others, [&](int other) { return !matched.contains(other); });
        first = false;
      }
    }
    for (const int other : others) {
      const ExtractorRule& by = ruleset_.model().extractors[static_cast<std::size_t>(other)];
      if (other == index || by.symptom != rule.symptom) continue;
      Add(rule, "match",
          fmt::format("is shadowed: {} takes all its examples for {} as well; add an example that "
                      "only this one takes, or drop it",
                      by.name, rule.symptom));
      return;
    }
  }

  std::set<int> Matched(Source source, const std::string& lines) const {
    StreamReader reader(ruleset_, {.id = "example", .source = source, .node = "example-node"}, {});
    reader.Feed(lines + '\n');
    reader.Finish();
    return reader.Contents().matched;
  }

  void WarnOfSlow(const ExtractorRule& rule) {
    for (const std::string& literal : RequiredLiterals(rule.match)) {
      if (!IsCommon(literal)) continue;
      Add(rule, "match",
          fmt::format(
              "is slow: it is tried on every line that holds \"{}\"; quote more of the fixed "
              "text",
              literal));
      break;
    }
    const RE2 match(rule.match, PatternOptions());
    if (match.ProgramSize() > kLargeProgram) {
      Add(rule, "match",
          fmt::format("is slow: {} instructions; counted repetitions multiply what they repeat",
                      match.ProgramSize()));
    }
    if (rule.match.starts_with(".*") || rule.match.starts_with("^.*")) {
      Add(rule, "match", "is slow: a pattern may begin anywhere, so drop the .* at its front");
    }
  }

  const CompiledRuleset& ruleset_;
  std::vector<RulesetProblem> warnings_;
};

}  // namespace

std::vector<RulesetProblem> PatternWarnings(const std::shared_ptr<const Ruleset>& ruleset,
                                            const std::set<std::string>& documents) {
  return Warner(CompiledRuleset::From(*ruleset)).Run(documents);
}

}  // namespace engine
