// SPDX-License-Identifier: Apache-2.0
// Same evidence, any order, any pieces, any number of threads: the same bytes. Over the whole cases
// that the built-in rules carry, and over all of their example lines.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "engine/case.h"
#include "engine/rules/compiled_ruleset.h"

namespace engine {
namespace {

struct Log {
  Stream stream;
  std::string text;
};

const std::shared_ptr<const Ruleset>& Builtin() {
  static const auto ruleset = Ruleset::Load(Ruleset::BuiltinDocuments()).ruleset;
  return ruleset;
}

// How evidence may arrive.
struct Arrival {
  unsigned seed = 0;
  std::size_t max_chunk = 0;  // 0: a log at a time, in one piece
  bool threads = false;
};

void Feed(Case& one, const Log& log, const Arrival& arrival, unsigned seed) {
  std::mt19937 random(seed);
  std::string_view rest = log.text;
  while (!rest.empty()) {
    const std::size_t size =
        arrival.max_chunk == 0 ? rest.size() : random() % arrival.max_chunk + 1;
    // Opened again each time: it is the same stream.
    one.Ingest(one.Open(log.stream), rest.substr(0, size));
    rest.remove_prefix(std::min(size, rest.size()));
  }
  one.Close(one.Open(log.stream), Coverage::kComplete);
}

std::string Verdict(const std::vector<Log>& logs, const Arrival& arrival) {
  std::mt19937 random(arrival.seed);
  std::vector<const Log*> order;
  for (const Log& log : logs) order.push_back(&log);
  std::shuffle(order.begin(), order.end(), random);
  Case one(Builtin(), {.kind = "Job", .name_space = {}, .name = "order"});
  std::vector<std::jthread> threads;
  for (const Log* log : order) {
    const auto seed = static_cast<unsigned>(random());
    if (arrival.threads) {
      threads.emplace_back([&one, log, &arrival, seed] { Feed(one, *log, arrival, seed); });
    } else {
      Feed(one, *log, arrival, seed);
    }
  }
  threads.clear();
  return ToJson(one.Attribute()).dump();
}

void ExpectTheSameInAnyOrder(const std::vector<Log>& logs, const std::string& what) {
  const std::string expected = Verdict(logs, {});
  for (unsigned seed = 1; seed <= 3; ++seed) {
    EXPECT_EQ(Verdict(logs, {seed, 0, false}), expected) << what;
    EXPECT_EQ(Verdict(logs, {seed, 3, false}), expected) << what;
    EXPECT_EQ(Verdict(logs, {seed, 200, false}), expected) << what;
    EXPECT_EQ(Verdict(logs, {seed, 50, true}), expected) << what;
  }
}

TEST(CaseOrderTest, OfEveryWholeCase) {
  const RuleModel& model = CompiledRuleset::From(*Builtin()).model();
  ASSERT_FALSE(model.tests.empty());
  for (const TestRule& test : model.tests) {
    std::vector<Log> logs;
    for (const TestEvidence& evidence : test.evidence) {
      Log& log = logs.emplace_back();
      log.stream = {.id = std::to_string(logs.size()),
                    .source = evidence.source,
                    .node = evidence.node,
                    .object = evidence.object,
                    .first_failed = evidence.source == Source::kAppLog};
      for (const std::string& line : evidence.lines) log.text += line + '\n';
    }
    ExpectTheSameInAnyOrder(logs, test.name);
  }
}

TEST(CaseOrderTest, OfLogsFullOfSymptoms) {
  std::vector<std::string> lines;
  for (const ExtractorRule& rule : CompiledRuleset::From(*Builtin()).model().extractors) {
    lines.insert(lines.end(), rule.examples_match.begin(), rule.examples_match.end());
    lines.insert(lines.end(), rule.examples_no_match.begin(), rule.examples_no_match.end());
  }
  std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): the same logs each time
  std::vector<Log> logs;
  for (std::size_t i = 0; i < 2 * kSourceCount; ++i) {
    Log& log = logs.emplace_back();
    log.stream = {.id = std::to_string(i),
                  .source = static_cast<Source>(i % kSourceCount),
                  .node = i % 2 == 0 ? "" : "n" + std::to_string(i),
                  .first_failed = i % 3 == 0};
    // Ends of all kinds, times, ranks, colours, bytes that are no text, lines that are too long.
    const std::vector<std::string> fronts = {"",      "",         "2026-12-01 04:00:0",
                                             "[rank", "\x1b[31m", "\xff"};
    const std::vector<std::string> ends = {"\n", "\r\n", "\r", "\n\n", "\x1b[0m\n"};
    for (int line = 0; line < 300; ++line) {
      std::string front = fronts[random() % fronts.size()];
      if (front == "[rank") front += std::to_string(random() % 8) + "]: ";
      if (front.starts_with("2026")) front += std::to_string(random() % 10) + " ";
      log.text += front + lines[random() % lines.size()];
      if (random() % 50 == 0) log.text += std::string(20'000, 'y');
      log.text += ends[random() % ends.size()];
    }
    log.text += lines[random() % lines.size()];
  }
  ExpectTheSameInAnyOrder(logs, "all examples");
}

}  // namespace
}  // namespace engine
