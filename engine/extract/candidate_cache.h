// SPDX-License-Identifier: Apache-2.0
// Which patterns a line's literals ask for. Logs repeat themselves: the same few sets of literals
// come again in line after line, and most of them ask for nothing.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "engine/extract/matchers_impl.h"

namespace engine {

// For streams of one source. Memory is bounded. Used by one thread.
class CandidateCache {
 public:
  // `matchers` must outlive it.
  CandidateCache(const Matchers::Impl& matchers, Source source)
      : matchers_(matchers), source_(SourceBit(source)) {}

  // The patterns for the source whose literals are all among `atoms`, ascending; sorts `atoms` and
  // makes them unique. Valid until the next call.
  const std::vector<int>& PatternsFor(std::vector<int>& atoms);

 private:
  struct Hash {
    std::size_t operator()(const std::vector<int>& atoms) const;
  };

  const Matchers::Impl& matchers_;
  const unsigned source_;
  std::unordered_map<std::vector<int>, std::vector<int>, Hash> known_;
};

}  // namespace engine
