// SPDX-License-Identifier: Apache-2.0
// Evidence in any order, over the whole cases that the built-in rules carry and over all of their
// example lines.
#include "engine/any_order.h"
#include "engine/rules/compiled_ruleset.h"

namespace engine {
namespace {

const std::shared_ptr<const Ruleset>& Builtin() {
  static const auto ruleset = Ruleset::Load(Ruleset::BuiltinDocuments()).ruleset;
  return ruleset;
}

TEST(CaseOrderTest, OfEveryWholeCase) {
  const RuleModel& model = CompiledRuleset::From(*Builtin()).model();
  ASSERT_FALSE(model.tests.empty());
  for (const TestRule& test : model.tests) {
    std::vector<WholeLog> logs;
    for (const TestEvidence& evidence : test.evidence) {
      WholeLog& log = logs.emplace_back();
      log.stream = {.id = std::to_string(logs.size()),
                    .source = evidence.source,
                    .node = evidence.node,
                    .object = evidence.object,
                    .first_failed = evidence.source == Source::kAppLog};
      for (const std::string& line : evidence.lines) log.text += line + '\n';
    }
    ExpectTheSameInAnyOrder(Builtin(), {}, logs, test.name);
  }
}

TEST(CaseOrderTest, OfLogsFullOfSymptoms) {
  std::vector<std::string> lines;
  for (const ExtractorRule& rule : CompiledRuleset::From(*Builtin()).model().extractors) {
    lines.insert(lines.end(), rule.examples_match.begin(), rule.examples_match.end());
    lines.insert(lines.end(), rule.examples_no_match.begin(), rule.examples_no_match.end());
  }
  std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): the same logs each time
  std::vector<WholeLog> logs;
  for (std::size_t i = 0; i < 2 * kSourceCount; ++i) {
    WholeLog& log = logs.emplace_back();
    log.stream = {.id = std::to_string(i),
                  .source = static_cast<Source>(i % kSourceCount),
                  .node = i % 2 == 0 ? "" : "n" + std::to_string(i),
                  .first_failed = i % 3 == 0};
    // Ends of all kinds, times, ranks, colours, bytes that are no text, lines that are too long.
    const std::vector<std::string> fronts = {"",      "",         "2026-12-01 04:00:0",
                                             "[rank", "\x1b[31m", "\xff"};
    const std::vector<std::string> ends = {"\n", "\r\n", "\r", "\n\n", "\x1b[0m\n"};
    for (int line = 0; line < 100; ++line) {
      std::string front = fronts[random() % fronts.size()];
      if (front == "[rank") front += std::to_string(random() % 8) + "]: ";
      if (front.starts_with("2026")) front += std::to_string(random() % 10) + " ";
      log.text += front + lines[random() % lines.size()];
      if (random() % 50 == 0) log.text += std::string(20'000, 'y');
      log.text += ends[random() % ends.size()];
    }
    log.text += lines[random() % lines.size()];
  }
  ExpectTheSameInAnyOrder(Builtin(), {}, logs, "all examples");
}

}  // namespace
}  // namespace engine
