// SPDX-License-Identifier: Apache-2.0
#include "controllers/evidence/node_boots.h"

#include <algorithm>

namespace controllers {

void NodeBoots::Note(const std::string& node, const std::string& boot_id, engine::Time time) {
  if (boot_id.empty()) return;
  const std::lock_guard lock(mutex_);
  const auto [span, added] = spans_[node].emplace(boot_id, Span{time, time});
  if (added) return;
  span->second.first = std::min(span->second.first, time);
  span->second.last = std::max(span->second.last, time);
}

std::string NodeBoots::At(const std::string& node, engine::Time time) const {
  const std::lock_guard lock(mutex_);
  const auto boots = spans_.find(node);
  if (boots == spans_.end()) return {};
  std::string found;
  for (const auto& [boot, span] : boots->second) {
    if (time < span.first || time > span.last) continue;
    if (!found.empty()) return {};
    found = boot;
  }
  return found;
}

}  // namespace controllers
