// SPDX-License-Identifier: Apache-2.0
// The compiled patterns, for extraction only.
#pragma once

#include <re2/filtered_re2.h>
#include <re2/re2.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "engine/extract/matchers.h"

struct hs_database;
struct hs_scratch;

namespace engine {

// A literal that was found: where it ends in the scanned text, and which one it is.
struct AtomHit {
  std::size_t end = 0;
  int atom = 0;
};

// One extractor's or collector's patterns.
struct CompiledPattern {
  const RE2* match = nullptr;  // owned by the filter
  std::vector<std::pair<std::string, int>> groups;
  std::unique_ptr<RE2> unless;
  std::unique_ptr<RE2> record_continue;
  std::unique_ptr<RE2> record_require;
  unsigned sources = 0;  // a bit per source
};

inline unsigned SourceBit(Source source) { return 1U << static_cast<unsigned>(source); }

// Thread-safe once compiled.
class Matchers::Impl {
 public:
  Impl();
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  // Appends the literals that occur in `text`, in the order of their ends.
  void Scan(std::string_view text, std::vector<AtomHit>& hits) const;

  // The patterns whose literals are all among `atoms` (sorted, unique): extractors first, then
  // collectors, each by its index in the model.
  void Candidates(const std::vector<int>& atoms, std::vector<int>& patterns) const;

  bool IsCollector(int pattern) const { return pattern >= extractor_count_; }
  int CollectorIndex(int pattern) const { return pattern - extractor_count_; }
  const CompiledPattern& pattern(int index) const {
    return patterns_[static_cast<std::size_t>(index)];
  }

 private:
  friend class Matchers;
  bool Build(const RuleModel& model, std::vector<RulesetProblem>& problems);

  re2::FilteredRE2 filter_;
  std::vector<CompiledPattern> patterns_;  // by the filter's ids
  int extractor_count_ = 0;
  hs_database* database_ = nullptr;
  hs_scratch* prototype_ = nullptr;
  mutable std::mutex scratch_mutex_;
  mutable std::vector<hs_scratch*> free_scratch_;  // one per thread that scans at a time
};

}  // namespace engine
