// SPDX-License-Identifier: Apache-2.0
// A symptom that was seen, and a bounded set of them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
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

// Events by symptom and place. Of each symptom the `max_places` places with the earliest events are
// kept, whatever the order in which they came. Used by one thread.
class EventSet {
 public:
  explicit EventSet(std::size_t max_places) : max_places_(max_places) {}

  // Whether `event` is now the one that stands for its place; else it only raised a count, or was
  // beyond the cap.
  bool Add(Event event);
  // Null when no such place is kept. Valid until the next Add.
  Event* Find(const std::string& symptom, const std::string& place);
  std::vector<const Event*> All() const;

 private:
  const std::size_t max_places_;
  std::map<std::string, std::map<std::string, Event>> by_symptom_;  // then by place
};

}  // namespace engine
