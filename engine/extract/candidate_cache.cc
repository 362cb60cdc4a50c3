// SPDX-License-Identifier: Apache-2.0
#include "engine/extract/candidate_cache.h"

#include <algorithm>

namespace engine {
namespace {

constexpr std::size_t kMaxSets = 512;

}  // namespace

std::size_t CandidateCache::Hash::operator()(const std::vector<int>& atoms) const {
  std::size_t hash = atoms.size();
  for (const int atom : atoms) {
    hash = (hash ^ static_cast<std::size_t>(atom)) * 0x9E3779B97F4A7C15U;
  }
  return hash ^ (hash >> 32U);
}

const std::vector<int>& CandidateCache::PatternsFor(std::vector<int>& atoms) {
  static const std::vector<int> none;
  if (atoms.empty()) return none;
  std::sort(atoms.begin(), atoms.end());
  atoms.erase(std::unique(atoms.begin(), atoms.end()), atoms.end());
  const auto known = known_.find(atoms);
  if (known != known_.end()) return known->second;
  std::vector<int> patterns;
  matchers_.Candidates(atoms, patterns);
  patterns.erase(std::remove_if(patterns.begin(), patterns.end(),
                                [&](int pattern) {
                                  return (matchers_.pattern(pattern).sources & source_) == 0;
                                }),
                 patterns.end());
  // Which sets are known changes the speed only.
  if (known_.size() >= kMaxSets) known_.clear();
  return known_.emplace(atoms, std::move(patterns)).first->second;
}

}  // namespace engine
