// SPDX-License-Identifier: Apache-2.0
// The compiled patterns, for extraction only.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "engine/extract/lazy_pattern.h"
#include "engine/extract/literal_matcher.h"
#include "engine/extract/match_memo.h"
#include "engine/extract/matchers.h"
#include "engine/source.h"

namespace engine {

// One extractor's or collector's patterns.
struct CompiledPattern {
  CompiledPattern(const std::string& match_text, const std::string& unless_text,
                  const std::string& continue_text, const std::string& require_text)
      : match(match_text),
        unless(unless_text),
        record_continue(continue_text),
        record_require(require_text) {}

  LazyPattern match;
  LazyPattern unless;
  LazyPattern record_continue;
  LazyPattern record_require;
  // Whether symptom or place stand in groups of `match`.
  bool groups_locate = false;
};

// Thread-safe once compiled.
class Matchers::Impl {
 public:
  // Appends the literals of the source's patterns that occur in `text`, in the order of their ends.
  void Scan(Source source, std::string_view text, std::vector<LiteralHit>& hits) const;

  // Appends the patterns that a literal of the source speaks for, ascending: extractors first, then
  // collectors, each by its index in the model.
  void AddCandidates(Source source, int literal, std::vector<int>& patterns) const;

  // What other threads do not have at the moment; to be given back.
  std::unique_ptr<MatchMemo> TakeMemo() const;
  void GiveBack(std::unique_ptr<MatchMemo> memo) const;

  bool IsCollector(int pattern) const { return pattern >= extractor_count_; }
  int CollectorIndex(int pattern) const { return pattern - extractor_count_; }
  const CompiledPattern& pattern(int index) const {
    return patterns_[static_cast<std::size_t>(index)];
  }

  // For what is worked out ahead. Null: the source has no patterns.
  const LiteralMatcher* matcher(Source source) const { return Of(source).matcher.get(); }
  const std::vector<std::string>& literals(Source source) const { return Of(source).literals; }

 private:
  friend class Matchers;
  // What is looked for in streams of one source: what other sources' patterns need costs nothing.
  struct SourceLiterals {
    std::vector<std::string> literals;       // sorted
    std::vector<std::vector<int>> patterns;  // of each literal, ascending
    std::unique_ptr<const LiteralMatcher> matcher;
  };

  const SourceLiterals& Of(Source source) const {
    return sources_[static_cast<std::size_t>(source)];
  }
  bool Build(const RuleModel& model, std::vector<RulesetProblem>& problems);

  std::deque<CompiledPattern> patterns_;
  int extractor_count_ = 0;
  std::array<SourceLiterals, kSourceCount> sources_;
  mutable std::mutex memos_mutex_;
  mutable std::vector<std::unique_ptr<MatchMemo>> memos_;  // one per thread that reads at a time
};

}  // namespace engine
