// SPDX-License-Identifier: Apache-2.0
#include "engine/authoring/measure_rules.h"

#include <algorithm>
#include <map>

#include "engine/extract/line_assembler.h"
#include "engine/extract/matchers.h"
#include "engine/extract/matchers_impl.h"
#include "engine/extract/prefix.h"
#include "engine/extract/visible_line.h"
#include "engine/rules/compiled_ruleset.h"

namespace engine {
namespace {

using SteadyClock = std::chrono::steady_clock;

// As extraction takes it; Vectorscan counts in 32 bits.
constexpr std::size_t kBlockBytes = 1 << 20;
constexpr std::size_t kLineBytes = 16 * 1024;

class Measurement {
 public:
  Measurement(const CompiledRuleset& ruleset, Source source)
      : ruleset_(ruleset), matchers_(ruleset.matchers().impl()), source_(source) {}

  RuleCosts Run(std::string_view text) {
    LineAssembler assembler(kLineBytes, [this](std::string_view block) { ReadBlock(block); });
    for (std::size_t at = 0; at < text.size(); at += kBlockBytes) {
      assembler.Feed(text.substr(at, kBlockBytes));
    }
    assembler.Finish();
    costs_.bytes = static_cast<std::int64_t>(text.size());
    for (auto& [pattern, cost] : by_pattern_) costs_.rules.push_back(std::move(cost));
    std::stable_sort(costs_.rules.begin(), costs_.rules.end(),
                     [](const RuleCost& a, const RuleCost& b) { return a.time > b.time; });
    return std::move(costs_);
  }

 private:
  void ReadBlock(std::string_view block) {
    hits_.clear();
    const auto began = SteadyClock::now();
    matchers_.Scan(source_, block, hits_);
    costs_.search_time += SteadyClock::now() - began;
    const std::string_view whole = block;
    std::size_t next = 0;
    while (!block.empty()) {
      char end_char = '\n';
      const std::string_view raw = TakeLine(block, &end_char);
      const std::size_t end = whole.size() - block.size();
      candidates_.clear();
      for (; next < hits_.size() && hits_[next].end <= end; ++next) {
        matchers_.AddCandidates(source_, hits_[next].literal, candidates_);
      }
      if (end_char == '\n') ++costs_.lines;
      if (!candidates_.empty()) TryAll(VisibleLine(raw));
    }
  }

  void TryAll(const std::string& line) {
    const std::string_view message =
        std::string_view(line).substr(ReadPrefix(line, source_, std::nullopt).message);
    for (const int index : candidates_) {
      RuleCost& cost = CostOf(index);
      const RE2& match = matchers_.pattern(index).match.get();
      const auto began = SteadyClock::now();
      const bool matches = match.Match({message.data(), message.size()}, 0, message.size(),
                                       RE2::UNANCHORED, nullptr, 0);
      cost.time += SteadyClock::now() - began;
      ++cost.tried;
      cost.matched += matches ? 1 : 0;
    }
  }

  RuleCost& CostOf(int index) {
    const auto [known, is_new] = by_pattern_.try_emplace(index);
    if (!is_new) return known->second;
    // The pattern is compiled now, so that this is not counted.
    matchers_.pattern(index).match.get();
    const RuleModel& model = ruleset_.model();
    if (matchers_.IsCollector(index)) {
      const CollectorRule& rule =
          model.collectors[static_cast<std::size_t>(matchers_.CollectorIndex(index))];
      known->second = {.rule = rule.name, .path = rule.path};
    } else {
      const ExtractorRule& rule = model.extractors[static_cast<std::size_t>(index)];
      known->second = {.rule = rule.name, .path = rule.path};
    }
    return known->second;
  }

  const CompiledRuleset& ruleset_;
  const Matchers::Impl& matchers_;
  const Source source_;
  std::map<int, RuleCost> by_pattern_;
  std::vector<LiteralHit> hits_;
  std::vector<int> candidates_;
  RuleCosts costs_;
};

}  // namespace

RuleCosts MeasureRules(const std::shared_ptr<const Ruleset>& ruleset, Source source,
                       std::string_view text) {
  return Measurement(CompiledRuleset::From(*ruleset), source).Run(text);
}

}  // namespace engine
