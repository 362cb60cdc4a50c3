// SPDX-License-Identifier: Apache-2.0
// Counters of nodes: a symptom only when the value rises.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>

#include "engine/extract/event.h"
#include "engine/rules/model.h"

namespace engine {

// Readings of one extractor's counter in one stream, by place, in the order of the stream. Memory
// is bounded: of each place what can still be the lowest reading in the time, of the first few
// hundred places. Used by one thread.
class CounterReadings {
 public:
  // Whether the counter has risen enough by this reading, over the lowest one within the time. A
  // rise is told once: counting then begins anew. A counter that falls was reset and counts from
  // its new value. Readings without a time are always within it.
  bool Rises(const CounterRule& rule, const Event& reading, double value);

 private:
  struct Reading {
    std::optional<Time> time;
    double value = 0;
  };
  std::map<std::string, std::deque<Reading>> by_place_;  // values ascending
};

}  // namespace engine
