// SPDX-License-Identifier: Apache-2.0
#include "controllers/attribution/retention.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace controllers {

RetentionChoice ChooseExpired(std::vector<Kept> kept, engine::Time now,
                              std::chrono::seconds max_age, std::int64_t max_count,
                              std::size_t most) {
  std::sort(kept.begin(), kept.end(), [](const Kept& a, const Kept& b) {
    return std::tie(a.created, a.name) < std::tie(b.created, b.name);
  });
  const std::size_t limit = static_cast<std::size_t>(std::max<std::int64_t>(max_count, 0));
  const std::size_t surplus = kept.size() > limit ? kept.size() - limit : 0;
  RetentionChoice choice;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (i >= surplus && now - kept[i].created < max_age) break;
    if (choice.expired.size() == most) {
      choice.more = true;
      break;
    }
    choice.expired.push_back(std::move(kept[i]));
  }
  return choice;
}

}  // namespace controllers
