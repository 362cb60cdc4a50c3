// SPDX-License-Identifier: Apache-2.0
#include "engine/extract/counter.h"

#include <algorithm>
#include <chrono>

namespace engine {
namespace {

// Of each place; what came earliest stays.
constexpr std::size_t kMaxReadings = 256;

}  // namespace

void CounterReadings::Add(const Event& event, double value) {
  auto& readings = by_place_[PlaceOf(event)];
  const Reading reading{event, value};
  const auto at = std::upper_bound(
      readings.begin(), readings.end(), reading,
      [](const Reading& a, const Reading& b) { return Earlier(a.event, b.event); });
  readings.insert(at, reading);
  if (readings.size() > kMaxReadings) readings.pop_back();
}

std::vector<Event> CounterReadings::Rises(const CounterRule& rule) const {
  std::vector<Event> rises;
  for (const auto& [place, readings] : by_place_) {
    for (std::size_t i = 1; i < readings.size(); ++i) {
      for (std::size_t j = i; j-- > 0;) {
        const bool timed = readings[i].event.has_time() && readings[j].event.has_time();
        const double seconds =
            std::chrono::duration<double>(readings[i].event.time - readings[j].event.time).count();
        if (timed && seconds > rule.within_seconds) break;
        if (readings[i].value - readings[j].value >= rule.increase_at_least) {
          rises.push_back(readings[i].event);
          break;
        }
      }
    }
  }
  return rises;
}

}  // namespace engine
