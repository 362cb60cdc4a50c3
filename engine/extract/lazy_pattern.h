// SPDX-License-Identifier: Apache-2.0
// A regular expression that is compiled when it is first needed: most rules never see a line.
#pragma once

#include <re2/re2.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace engine {

// Safe to use from any thread.
class LazyPattern {
 public:
  // Known to be a valid RE2. Empty: none() is true, and get() must not be called.
  explicit LazyPattern(std::string text) : text_(std::move(text)) {}

  bool none() const { return text_.empty(); }
  const RE2& get() const;
  // The named groups with their numbers.
  const std::vector<std::pair<std::string, int>>& groups() const;

 private:
  void Compile() const;

  const std::string text_;
  mutable std::once_flag once_;
  mutable std::unique_ptr<const RE2> compiled_;
  mutable std::vector<std::pair<std::string, int>> groups_;
};

}  // namespace engine
