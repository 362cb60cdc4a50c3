// SPDX-License-Identifier: Apache-2.0
// The lowest value of a sliding window: a reading that is not lower than a later one can never
// again be the lowest, so that what is kept ascends, and its front is the lowest.
#include "engine/extract/counter.h"

#include <chrono>

namespace engine {
namespace {

constexpr std::size_t kMaxPlaces = 256;
constexpr std::size_t kMaxReadings = 256;

}  // namespace

bool CounterReadings::Rises(const CounterRule& rule, const Event& reading, double value) {
  const std::string place = PlaceOf(reading);
  auto known = by_place_.find(place);
  if (known == by_place_.end()) {
    if (by_place_.size() >= kMaxPlaces) return false;
    known = by_place_.emplace(place, std::deque<Reading>()).first;
  }
  std::deque<Reading>& readings = known->second;
  const std::optional<Time> now = reading.has_time() ? std::optional(reading.time) : std::nullopt;
  const auto outdated = [&](const Reading& earlier) {
    return now && earlier.time &&
           std::chrono::duration<double>(*now - *earlier.time).count() > rule.within_seconds;
  };
  while (!readings.empty() && outdated(readings.front())) readings.pop_front();
  const bool rises = !readings.empty() && value - readings.front().value >= rule.increase_at_least;
  if (rises) readings.clear();
  while (!readings.empty() && readings.back().value >= value) readings.pop_back();
  readings.push_back({now, value});
  // The front is what a rise is measured by; of the rest the one next in line goes.
  if (readings.size() > kMaxReadings) readings.erase(readings.begin() + 1);
  return rises;
}

}  // namespace engine
