// SPDX-License-Identifier: Apache-2.0
#include "operator/saved_logs/analysis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "operator/saved_logs/log_fixture.h"

namespace app {
namespace {

constexpr char kError[] = "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB";

const std::shared_ptr<const engine::Ruleset>& Builtin() {
  static const auto ruleset = engine::Ruleset::Load(engine::Ruleset::BuiltinDocuments()).ruleset;
  return ruleset;
}

SavedLogsVerdict Analyze(const std::vector<SavedLog>& logs) {
  return AnalyzeSavedLogs(Builtin(), {}, logs);
}

SavedLogsVerdict Analyze(const std::string& path) {
  return Analyze({SavedLog{.path = path, .source = {}, .node = {}, .rank = {}, .asked_for = true}});
}

// How much memory this takes is measured by tests/bench/extraction/saved_logs.py.
TEST(AnalysisTest, AFailureIsFoundInLogsOfOneEndlessLine) {
  const LogFolder folder;
  constexpr std::size_t kLong = 100'000'000;
  std::string end;
  end.resize(kLong, 'x');
  std::string zeros;
  zeros.resize(kLong, '\0');
  const std::string front = std::string("step 1\n") + kError;
  for (const std::string& form :
       {front + end, Gzip(front + end), Zstd(front + end), end + "\n" + kError,
        front + "\n" + zeros, Utf16(front + "\n") + end}) {
    const SavedLogsVerdict got = Analyze(folder.Write("rank0.log", form));
    EXPECT_EQ(got.attribution.verdict.symptom, "cudaerror-out-of-memory");
    ASSERT_TRUE(got.attribution.root);
    EXPECT_EQ(got.attribution.root->line_number, 2);
    EXPECT_LT(got.attribution.root->line.size(), 10'000U);
    EXPECT_TRUE(got.logs[0].problem.empty()) << got.logs[0].problem;
  }
}

TEST(AnalysisTest, TheOrderOfTheLogsDoesNotMatter) {
  const LogFolder folder;
  std::vector<SavedLog> logs;
  for (int i = 0; i < 8; ++i) {
    const std::string rank = std::to_string(i);
    std::string text;
    for (int line = 0; line < 5'000; ++line) text += "step " + std::to_string(line) + "\n";
    text += "2026-12-01 04:00:0" + rank + ",1 [rank" + rank + "]: " + kError + "\n";
    if (i % 3 == 1) text = Gzip(text);
    if (i % 3 == 2) text = Zstd(text);
    logs.push_back({.path = folder.Write("rank" + rank + ".log", text),
                    .source = engine::Source::kAppLog,
                    .node = "n" + std::to_string(i / 4),
                    .rank = i,
                    .asked_for = false});
  }
  const std::string expected = engine::ToJson(Analyze(logs).attribution).dump();
  EXPECT_NE(expected.find("cudaerror-out-of-memory"), std::string::npos);
  std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): the same orders each time
  for (int run = 0; run < 5; ++run) {
    std::shuffle(logs.begin(), logs.end(), random);
    EXPECT_EQ(engine::ToJson(Analyze(logs).attribution).dump(), expected);
  }
}

TEST(AnalysisTest, WhatIsNoTextIsLeftOutUnlessItIsNamed) {
  const LogFolder folder;
  const std::string text = std::string("\0\1binary\n", 9) + kError + "\n";
  SavedLog log{.path = folder.Write("core", text), .source = {}, .node = {}, .rank = {}};
  EXPECT_TRUE(Analyze(std::vector{log}).logs[0].skipped);
  log.asked_for = true;
  const SavedLogsVerdict got = Analyze(std::vector{log});
  EXPECT_FALSE(got.logs[0].skipped);
  EXPECT_EQ(got.attribution.verdict.symptom, "cudaerror-out-of-memory");
}

}  // namespace
}  // namespace app
