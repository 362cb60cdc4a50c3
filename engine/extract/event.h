// SPDX-License-Identifier: Apache-2.0
// A symptom that was seen, and a bounded set of them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/extract/prefix.h"
#include "engine/source.h"
#include "engine/time.h"

namespace engine {

// One symptom at one place (node, GPU, rank); repeats are folded into the earliest.
struct Event {
  std::string symptom;  // catalog id
  std::string rule;     // the extractor or refiner
  Source source = Source::kAppLog;
  Trust trust = Trust::kWorkload;
  std::string stream;
  std::string object;
  std::string container;
  std::string node;  // empty: unknown
  std::string pci_address;
  std::string gpu_uuid;
  std::optional<int> gpu_index;
  std::optional<int> rank;
  Clock clock = Clock::kNone;
  Time time{};  // by that clock
  // The line has no time of its own; `time` is that of an earlier one of its stream.
  bool time_is_floor = false;
  std::int64_t line_number = 0;
  std::string line;  // visible text, not yet redacted
  std::vector<std::string> before;
  std::vector<std::string> after;
  std::map<std::string, std::string> captures;
  std::int64_t count = 1;
  Time last_time{};

  bool has_time() const { return clock == Clock::kAbsolute; }
};

// A total order that doesn't depend on arrival: by time (what has none comes last), source, stream
// and position.
bool Earlier(const Event& a, const Event& b);

// What makes two events the same symptom at the same place.
std::string PlaceOf(const Event& event);
void AppendPlaceOf(const Event& event, std::string& place);

// Events by place. Kept are, of each symptom, the `max_places` places with the earliest events, and
// of all the `max_events` earliest, whatever the order in which they came. Used by one thread.
class EventSet {
 public:
  EventSet(std::size_t max_places, std::size_t max_events)
      : max_places_(max_places), max_events_(max_events) {}

  // Whether `event` is now the one that stands for its place; else it only raised a count, or was
  // beyond a cap.
  bool Add(Event event);
  // Counts `event`, of which only what PlaceOf() and Earlier() look at need be set, if that is all
  // that Add() would do with it. False: it may be kept.
  bool AddRepeat(const Event& event);
  // Null when the place (PlaceOf) is not kept. Valid until the next Add. Its time, position and
  // place must not be changed.
  Event* Find(const std::string& place);
  std::vector<const Event*> All() const;  // earliest first

 private:
  struct ByTime {
    bool operator()(const Event* a, const Event* b) const;
  };
  using Order = std::set<const Event*, ByTime>;

  void Index(const Event* event);
  void Unindex(const Event* event);

  // What Add() would throw out again.
  bool IsBeyondCaps(const Event& event) const;

  const std::size_t max_places_;
  const std::size_t max_events_;
  std::unordered_map<std::string, Event> by_place_;
  Order order_;
  std::unordered_map<std::string, Order> order_of_symptom_;
  std::string place_;  // reused
};

}  // namespace engine
