// SPDX-License-Identifier: Apache-2.0
// Which settled Attributions have been kept long enough. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/time.h"

namespace controllers {

// A settled Attribution.
struct Kept {
  std::string name;
  std::string uid;
  engine::Time created;
};

struct RetentionChoice {
  std::vector<Kept> expired;  // oldest first, at most `most`
  bool more = false;          // others are due as well
};

// `kept` are the settled ones of one namespace and policy, in any order. Beyond max_count the
// oldest go; equal ages are ordered by name.
RetentionChoice ChooseExpired(std::vector<Kept> kept, engine::Time now,
                              std::chrono::seconds max_age, std::int64_t max_count,
                              std::size_t most);

}  // namespace controllers
