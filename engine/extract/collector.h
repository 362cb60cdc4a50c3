// SPDX-License-Identifier: Apache-2.0
// Facts that don't decide: what collectors found.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/attribution.h"
#include "engine/extract/event.h"
#include "engine/rules/model.h"

namespace engine {

// What one collector found; merging in any order gives the same. Used by one thread.
class CollectedFact {
 public:
  // `at` gives time and place only.
  void Add(const Event& at, const std::string& value);
  void Merge(const CollectedFact& other);
  Fact Report(const CollectorRule& rule) const;

 private:
  struct Value {
    Event at;
    std::string text;
  };
  static bool Before(const Value& a, const Value& b);

  std::optional<Value> first_;
  std::optional<Value> last_;
  std::int64_t count_ = 0;
  std::set<std::string> all_;  // the smallest few
};

}  // namespace engine
