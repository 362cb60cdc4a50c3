// SPDX-License-Identifier: Apache-2.0
// Examples and tests go through the same Case as real evidence.
#include <fmt/format.h>

#include <algorithm>

#include "engine/case.h"
#include "engine/extract/stream_reader.h"
#include "engine/extract/visible_line.h"
#include "engine/rules/compiled_ruleset.h"
#include "engine/ruleset.h"

namespace engine {
namespace {

constexpr std::size_t kMessage = 1024;  // bytes

// A message of the kernel stays one line, whatever breaks it holds.
std::string AsItComes(Source source, const std::string& line) {
  if (source != Source::kKernel) return line;
  const std::size_t end = line.find_last_not_of('\n');
  return VisibleLine(line.substr(0, end == std::string::npos ? 0 : end + 1));
}

class EmbeddedTests {
 public:
  explicit EmbeddedTests(const std::shared_ptr<const Ruleset>& ruleset)
      : ruleset_(ruleset), compiled_(CompiledRuleset::From(*ruleset)) {}

  RulesetTestReport Run(const std::string& document) {
    // A rule's path begins with its document's name.
    const auto wanted = [prefix = document.empty() ? document : document + ": "](
                            const std::string& path) { return path.starts_with(prefix); };
    for (std::size_t i = 0; i < compiled_.model().extractors.size(); ++i) {
      if (wanted(compiled_.model().extractors[i].path)) RunExamples(i);
    }
    for (const TestRule& test : compiled_.model().tests) {
      if (wanted(test.path)) RunTest(test);
    }
    return std::move(report_);
  }

 private:
  void Check(bool good, const std::string& path, const std::string& rule,
             const std::string& message) {
    if (good) {
      ++report_.passed;
    } else {
      // Examples may hold anything, and this goes to terminals and statuses.
      report_.failures.push_back(
          {VisibleLine(path), rule, CutLine(VisibleLine(message), kMessage)});
    }
  }

  StreamContents Read(Source source, const std::string& lines) const {
    StreamReader reader(compiled_, {.id = "example", .source = source, .node = "example-node"}, {});
    reader.Feed(lines + '\n');
    reader.Finish();
    return reader.Contents();
  }

  // Whether something in the lines of one stream matches the extractor.
  bool Matches(std::size_t extractor, Source source, const std::string& lines) const {
    return Read(source, lines).matched.contains(static_cast<int>(extractor));
  }

  // A counter's examples are readings one after the other.
  void CheckRises(const ExtractorRule& rule) {
    std::string lines;
    for (const std::string& example : rule.examples_match) lines += example + '\n';
    const StreamContents contents = Read(rule.sources.front(), lines);
    const bool rises = std::any_of(contents.events.begin(), contents.events.end(),
                                   [&](const Event& event) { return event.rule == rule.name; });
    Check(
        rises, rule.path + ".examples.match", rule.name,
        fmt::format("read one after the other, these should be a rise by at least {}, and are not",
                    rule.counter->increase_at_least));
  }

  void RunExamples(std::size_t index) {
    const ExtractorRule& rule = compiled_.model().extractors[index];
    for (std::size_t i = 0; i < rule.examples_match.size(); ++i) {
      const std::string& example = rule.examples_match[i];
      Check(Matches(index, rule.sources.front(), example),
            fmt::format("{}.examples.match[{}]", rule.path, i), rule.name,
            fmt::format("should match, and does not: {}", example));
    }
    if (rule.counter) CheckRises(rule);
    for (std::size_t i = 0; i < rule.examples_no_match.size(); ++i) {
      const std::string& example = rule.examples_no_match[i];
      const bool matches =
          std::any_of(rule.sources.begin(), rule.sources.end(),
                      [&](Source source) { return Matches(index, source, example); });
      Check(!matches, fmt::format("{}.examples.noMatch[{}]", rule.path, i), rule.name,
            fmt::format("should not match, and does: {}", example));
    }
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
        one.Ingest(stream, AsItComes(evidence.source, line));
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
  const CompiledRuleset& compiled_;
  RulesetTestReport report_;
};

}  // namespace

RulesetTestReport RunEmbeddedTests(const std::shared_ptr<const Ruleset>& ruleset,
                                   const std::string& document) {
  return EmbeddedTests(ruleset).Run(document);
}

}  // namespace engine
