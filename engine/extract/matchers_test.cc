// SPDX-License-Identifier: Apache-2.0
// The literal pass against what is obviously right: every pattern on every line.
#include "engine/extract/matchers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "engine/extract/matchers_impl.h"
#include "engine/rules/compiled_ruleset.h"

namespace engine {
namespace {

std::vector<int> PatternsOf(const RuleModel& model, Source source) {
  std::vector<int> patterns;
  int index = 0;
  const auto add = [&](const std::vector<Source>& sources) {
    if (std::find(sources.begin(), sources.end(), source) != sources.end()) {
      patterns.push_back(index);
    }
    ++index;
  };
  for (const ExtractorRule& rule : model.extractors) add(rule.sources);
  for (const CollectorRule& rule : model.collectors) add(rule.sources);
  return patterns;
}

std::set<int> Matching(const Matchers::Impl& matchers, const std::vector<int>& patterns,
                       const std::string& line) {
  std::set<int> matching;
  for (const int pattern : patterns) {
    if (RE2::PartialMatch(line, matchers.pattern(pattern).match.get())) matching.insert(pattern);
  }
  return matching;
}

std::vector<int> Candidates(const Matchers::Impl& matchers, Source source,
                            const std::string& line) {
  std::vector<LiteralHit> hits;
  matchers.Scan(source, line, hits);
  std::vector<int> patterns;
  for (const LiteralHit& hit : hits) matchers.AddCandidates(source, hit.literal, patterns);
  return patterns;
}

TEST(MatchersTest, FindsWhatTryingAllPatternsFinds) {
  const RulesetLoad load = Ruleset::Load(Ruleset::BuiltinDocuments());
  ASSERT_NE(load.ruleset, nullptr);
  const CompiledRuleset& ruleset = CompiledRuleset::From(*load.ruleset);
  const Matchers::Impl& matchers = ruleset.matchers().impl();
  std::vector<std::string> lines;
  for (const ExtractorRule& rule : ruleset.model().extractors) {
    lines.insert(lines.end(), rule.examples_match.begin(), rule.examples_match.end());
    lines.insert(lines.end(), rule.examples_no_match.begin(), rule.examples_no_match.end());
  }
  // Lines cut, joined and in the wrong case.
  std::mt19937 random(4711);  // NOLINT(cert-msc51-cpp): the same lines each time
  const std::size_t originals = lines.size();
  for (int i = 0; i < 300; ++i) {
    std::string a = lines[random() % originals];
    const std::string& b = lines[random() % originals];
    a = a.substr(random() % (a.size() + 1)) + b.substr(0, random() % (b.size() + 1));
    if (random() % 4 == 0 && !a.empty()) a[random() % a.size()] ^= 0x20;
    lines.push_back(a);
  }
  for (std::size_t i = 0; i < kSourceCount; ++i) {
    const auto source = static_cast<Source>(i);
    const std::vector<int> all = PatternsOf(ruleset.model(), source);
    for (const std::string& line : lines) {
      const std::vector<int> candidates = Candidates(matchers, source, line);
      EXPECT_TRUE(std::is_sorted(candidates.begin(), candidates.end()));
      EXPECT_EQ(Matching(matchers, candidates, line), Matching(matchers, all, line)) << line;
    }
  }
}

}  // namespace
}  // namespace engine
