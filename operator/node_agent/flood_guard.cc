// SPDX-License-Identifier: Apache-2.0
#include "operator/node_agent/flood_guard.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace app {
namespace {

constexpr int kWarning = 4;

}  // namespace

bool FloodGuard::Bucket::Take(engine::Time now) {
  if (started && now > last) {
    tokens =
        std::min(burst, tokens + per_second * std::chrono::duration<double>(now - last).count());
  }
  started = true;
  last = std::max(last, now);
  if (tokens < 1) return false;
  tokens -= 1;
  return true;
}

bool FloodGuard::Admit(int priority, engine::Time now) {
  const bool admitted = (priority <= kWarning ? errors_ : chatter_).Take(now);
  if (!admitted) ++dropped_;
  return admitted;
}

std::uint64_t FloodGuard::TakeDropped() { return std::exchange(dropped_, 0); }

}  // namespace app
