// SPDX-License-Identifier: Apache-2.0
#include "engine/extract/event.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace engine {
namespace {

int ClockOrder(Clock clock) {
  switch (clock) {
    case Clock::kAbsolute:
      return 0;
    case Clock::kYearless:
      return 1;
    case Clock::kBoot:
      return 2;
    case Clock::kNone:
      return 3;
  }
  return 3;
}

}  // namespace

bool Earlier(const Event& a, const Event& b) {
  const auto key = [](const Event& e) {
    return std::make_tuple(ClockOrder(e.clock), e.clock == Clock::kNone ? Time{} : e.time,
                           e.source);
  };
  const auto key_a = key(a);
  const auto key_b = key(b);
  if (key_a != key_b) return key_a < key_b;
  return std::tie(a.stream, a.line_number, a.symptom, a.rule, a.line) <
         std::tie(b.stream, b.line_number, b.symptom, b.rule, b.line);
}

std::string PlaceOf(const Event& event) {
  return fmt::format("{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}", event.symptom, event.node,
                     event.pci_address, event.gpu_uuid, event.gpu_index.value_or(-1),
                     event.rank.value_or(-1), static_cast<int>(event.source),
                     static_cast<int>(event.trust));
}

bool EventSet::Add(Event event) {
  auto& places = by_symptom_[event.symptom];
  const std::string place = PlaceOf(event);
  const auto known = places.find(place);
  if (known != places.end()) {
    Event& kept = known->second;
    const std::int64_t count = kept.count + event.count;
    const Time last = std::max(kept.last_time, event.last_time);
    const bool earlier = Earlier(event, kept);
    if (earlier) kept = std::move(event);
    kept.count = count;
    kept.last_time = last;
    return earlier;
  }
  places.emplace(place, std::move(event));
  if (places.size() <= max_places_) return true;
  const auto latest =
      std::max_element(places.begin(), places.end(),
                       [](const auto& a, const auto& b) { return Earlier(a.second, b.second); });
  const bool itself = latest->first == place;
  places.erase(latest);
  return !itself;
}

Event* EventSet::Find(const std::string& symptom, const std::string& place) {
  const auto places = by_symptom_.find(symptom);
  if (places == by_symptom_.end()) return nullptr;
  const auto found = places->second.find(place);
  return found == places->second.end() ? nullptr : &found->second;
}

std::vector<const Event*> EventSet::All() const {
  std::vector<const Event*> events;
  for (const auto& [symptom, places] : by_symptom_) {
    for (const auto& [place, event] : places) events.push_back(&event);
  }
  return events;
}

}  // namespace engine
