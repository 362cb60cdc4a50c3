// SPDX-License-Identifier: Apache-2.0
#include "engine/extract/lazy_pattern.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "engine/rules/pattern.h"

namespace engine {

void LazyPattern::Compile() const {
  compiled_ = std::make_unique<const RE2>(text_, PatternOptions());
  // It was compiled once before, by the same library or when this program was built.
  if (!compiled_->ok()) {
    fmt::print(stderr, "engine: a pattern cannot be compiled any more: {}\n", compiled_->error());
    std::abort();
  }
  for (const auto& [name, index] : compiled_->NamedCapturingGroups()) {
    groups_.emplace_back(name, index);
  }
}

const RE2& LazyPattern::get() const {
  std::call_once(once_, [this] { Compile(); });
  return *compiled_;
}

const std::vector<std::pair<std::string, int>>& LazyPattern::groups() const {
  get();
  return groups_;
}

}  // namespace engine
