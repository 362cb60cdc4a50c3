// SPDX-License-Identifier: Apache-2.0
// Counters of nodes: a symptom only when the value rises.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/extract/event.h"
#include "engine/rules/model.h"

namespace engine {

// Readings of one extractor's counter, by place. Used by one thread.
class CounterReadings {
 public:
  void Add(const Event& event, double value);
  // The readings at which the counter had risen enough, earliest first. A counter that falls was
  // reset: it counts from its new value.
  std::vector<Event> Rises(const CounterRule& rule) const;

 private:
  struct Reading {
    Event event;
    double value = 0;
  };
  std::map<std::string, std::vector<Reading>> by_place_;
};

}  // namespace engine
