// SPDX-License-Identifier: Apache-2.0
// The literal pass against what is obviously right: every pattern on every line.
#include "engine/extract/matchers.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "engine/extract/matchers_impl.h"
#include "engine/rules/compiled_ruleset.h"

namespace engine {
namespace {

std::set<int> ByLiterals(const Matchers::Impl& matchers, const std::string& line) {
  std::vector<AtomHit> hits;
  matchers.Scan(line, hits);
  std::set<int> unique;
  for (const AtomHit& hit : hits) unique.insert(hit.atom);
  std::vector<int> patterns;
  matchers.Candidates({unique.begin(), unique.end()}, patterns);
  std::set<int> matched;
  for (const int pattern : patterns) {
    if (RE2::PartialMatch(line, *matchers.pattern(pattern).match)) matched.insert(pattern);
  }
  return matched;
}

std::set<int> ByTryingAll(const Matchers::Impl& matchers, int count, const std::string& line) {
  std::set<int> matched;
  for (int pattern = 0; pattern < count; ++pattern) {
    if (RE2::PartialMatch(line, *matchers.pattern(pattern).match)) matched.insert(pattern);
  }
  return matched;
}

TEST(MatchersTest, FindsWhatTryingAllPatternsFinds) {
  const RulesetLoad load = Ruleset::Load(Ruleset::BuiltinDocuments());
  ASSERT_NE(load.ruleset, nullptr);
  const CompiledRuleset& ruleset = CompiledRuleset::From(*load.ruleset);
  const Matchers::Impl& matchers = ruleset.matchers().impl();
  const int count =
      static_cast<int>(ruleset.model().extractors.size() + ruleset.model().collectors.size());
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
  for (const std::string& line : lines) {
    EXPECT_EQ(ByLiterals(matchers, line), ByTryingAll(matchers, count, line)) << line;
  }
}

}  // namespace
}  // namespace engine
