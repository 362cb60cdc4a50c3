// SPDX-License-Identifier: Apache-2.0
#include "engine/extract/event.h"

#include <algorithm>
#include <array>
#include <charconv>
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

void AppendPlaceOf(const Event& event, std::string& place) {
  constexpr char kSeparator = '\x1f';
  const auto number = [&place](int value) {
    std::array<char, 16> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    place.append(digits.data(), end);
    place += kSeparator;
  };
  for (const std::string* part :
       {&event.symptom, &event.node, &event.pci_address, &event.gpu_uuid}) {
    place += *part;
    place += kSeparator;
  }
  number(event.gpu_index.value_or(-1));
  number(event.rank.value_or(-1));
  number(static_cast<int>(event.source));
  number(static_cast<int>(event.trust));
}

std::string PlaceOf(const Event& event) {
  std::string place;
  AppendPlaceOf(event, place);
  return place;
}

bool EventSet::ByTime::operator()(const Event* a, const Event* b) const {
  if (Earlier(*a, *b)) return true;
  if (Earlier(*b, *a)) return false;
  return PlaceOf(*a) < PlaceOf(*b);
}

void EventSet::Index(const Event* event) {
  order_.insert(event);
  order_of_symptom_[event->symptom].insert(event);
}

void EventSet::Unindex(const Event* event) {
  order_.erase(event);
  order_of_symptom_[event->symptom].erase(event);
}

bool EventSet::Add(Event event) {
  const std::string place = PlaceOf(event);
  const auto known = by_place_.find(place);
  if (known != by_place_.end()) {
    Event& kept = known->second;
    const std::int64_t count = kept.count + event.count;
    const Time last = std::max(kept.last_time, event.last_time);
    const bool earlier = Earlier(event, kept);
    if (earlier) {
      Unindex(&kept);
      kept = std::move(event);
      Index(&kept);
    }
    kept.count = count;
    kept.last_time = last;
    return earlier;
  }
  const Event* const added = &by_place_.emplace(place, std::move(event)).first->second;
  Index(added);
  const Order& same = order_of_symptom_[added->symptom];
  const Event* surplus = nullptr;
  if (same.size() > max_places_) {
    surplus = *same.rbegin();
  } else if (order_.size() > max_events_) {
    surplus = *order_.rbegin();
  }
  if (surplus == nullptr) return true;
  const bool itself = surplus == added;
  Unindex(surplus);
  by_place_.erase(PlaceOf(*surplus));
  return !itself;
}

bool EventSet::IsBeyondCaps(const Event& event) const {
  // What comes later in the same line may still be earlier by its place.
  const auto after = [&event](const Order& order) {
    if (order.empty()) return false;
    const Event& last = **order.rbegin();
    return last.line_number != event.line_number && Earlier(last, event);
  };
  const auto same = order_of_symptom_.find(event.symptom);
  if (same != order_of_symptom_.end() && same->second.size() >= max_places_) {
    return after(same->second);
  }
  return order_.size() >= max_events_ && after(order_);
}

bool EventSet::AddRepeat(const Event& event) {
  place_.clear();
  AppendPlaceOf(event, place_);
  const auto known = by_place_.find(place_);
  if (known == by_place_.end()) return IsBeyondCaps(event);
  Event& kept = known->second;
  if (kept.line_number == event.line_number || Earlier(event, kept)) return false;
  kept.count += event.count;
  kept.last_time = std::max(kept.last_time, event.last_time);
  return true;
}

Event* EventSet::Find(const std::string& place) {
  const auto found = by_place_.find(place);
  return found == by_place_.end() ? nullptr : &found->second;
}

std::vector<const Event*> EventSet::All() const { return {order_.begin(), order_.end()}; }

}  // namespace engine
