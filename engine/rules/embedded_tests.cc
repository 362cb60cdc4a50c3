// SPDX-License-Identifier: Apache-2.0
// Examples and tests go through the same Case as real evidence.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/case.h"
#include "engine/rules/compiled_ruleset.h"
#include "engine/ruleset.h"

namespace engine {
namespace {

// Room for every place that an example could make.
constexpr Limits kLimits{};

class EmbeddedTests {
 public:
  explicit EmbeddedTests(const std::shared_ptr<const Ruleset>& ruleset)
      : ruleset_(ruleset), model_(CompiledRuleset::From(*ruleset).model()) {}

  RulesetTestReport Run() {
    for (const ExtractorRule& rule : model_.extractors) RunExamples(rule);
    for (const TestRule& test : model_.tests) RunTest(test);
    return std::move(report_);
  }

 private:
  void Check(bool good, const std::string& path, const std::string& rule,
             const std::string& message) {
    if (good) {
      ++report_.passed;
    } else {
      report_.failures.push_back({path, rule, message});
    }
  }

  // Which rules the lines of one stream hit.
  std::set<std::string> Hits(Source source, const std::string& lines) const {
    Case one(ruleset_, {.kind = "Job", .name_space = {}, .name = "example"}, kLimits);
    const StreamId stream = one.Open({.id = "example", .source = source, .node = "example-node"});
    one.Ingest(stream, lines + '\n');
    one.Close(stream, Coverage::kComplete);
    std::set<std::string> hits;
    for (const SymptomReport& symptom : one.Attribute().symptoms) hits.insert(symptom.rule);
    return hits;
  }

  void RunExamples(const ExtractorRule& rule) {
    for (std::size_t i = 0; i < rule.examples_match.size(); ++i) {
      const std::string& example = rule.examples_match[i];
      // A counter hits on a rise: one example is a reading, so several are given at once.
      std::string lines = example;
      if (rule.counter) lines = Joined(rule.examples_match);
      const std::set<std::string> hits = Hits(rule.sources.front(), lines);
      Check(hits.contains(rule.name), fmt::format("{}.examples.match[{}]", rule.path, i), rule.name,
            fmt::format("should match, and does not: {}", example));
      if (rule.counter) break;
    }
    for (std::size_t i = 0; i < rule.examples_no_match.size(); ++i) {
      const std::string& example = rule.examples_no_match[i];
      for (const Source source : rule.sources) {
        const std::set<std::string> hits = Hits(source, example);
        Check(!hits.contains(rule.name), fmt::format("{}.examples.noMatch[{}]", rule.path, i),
              rule.name, fmt::format("should not match, and does: {}", example));
      }
    }
  }

  static std::string Joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += (text.empty() ? "" : "\n") + line;
    return text;
  }

  void RunTest(const TestRule& test) {
    Case one(ruleset_, {.kind = "Job", .name_space = {}, .name = test.name});
    for (std::size_t i = 0; i < test.evidence.size(); ++i) {
      const TestEvidence& evidence = test.evidence[i];
      const StreamId stream = one.Open({.id = fmt::format("{:03}", i),
                                        .source = evidence.source,
                                        .node = evidence.node,
                                        .object = evidence.object,
                                        .first_failed = evidence.source == Source::kAppLog});
      for (const std::string& line : evidence.lines) {
        one.Ingest(stream, line);
        one.Ingest(stream, "\n");
      }
      one.Close(stream, Coverage::kComplete);
    }
    const Attribution got = one.Attribute();
    const Verdict& verdict = got.verdict;
    std::string wrong;
    const auto compare = [&](const char* what, const std::optional<std::string>& expected,
                             std::string_view actual) {
      if (!expected || *expected == actual) return;
      wrong += fmt::format("{}{}: expected \"{}\", got \"{}\"", wrong.empty() ? "" : "; ", what,
                           *expected, actual);
    };
    const TestExpectation& expect = test.expect;
    compare("result", expect.result, ToString(verdict.result));
    compare("domain", expect.domain, ToString(verdict.domain));
    compare("symptom", expect.symptom, verdict.symptom);
    compare("node", expect.node, verdict.culprit.node);
    compare("taint", expect.taint, verdict.node_fault ? "Yes" : "No");
    compare("evidenceLevel", expect.evidence_level, ToString(verdict.evidence_level));
    compare("uncertainty", expect.uncertainty, ToString(verdict.uncertainty));
    compare("rule", expect.rule, got.root ? std::string_view(got.root->rule) : std::string_view());
    if (!wrong.empty()) {
      wrong += fmt::format(" (decided by {})",
                           got.root ? got.root->rule + ": " + got.root->line : "nothing");
    }
    Check(wrong.empty(), test.path, test.name, wrong);
  }

  const std::shared_ptr<const Ruleset>& ruleset_;
  const RuleModel& model_;
  RulesetTestReport report_;
};

}  // namespace

RulesetTestReport RunEmbeddedTests(const std::shared_ptr<const Ruleset>& ruleset) {
  return EmbeddedTests(ruleset).Run();
}

}  // namespace engine
