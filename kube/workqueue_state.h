// SPDX-License-Identifier: Apache-2.0
// Which items wait, are being worked on, or are due later: a work queue without locks and clock.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "kube/reconciler.h"

namespace kube {

// client-go's rules: an item is dirty while it waits to be worked on, and processing while a worker
// has it; added meanwhile it is only marked dirty, and waits again after Done. Used under one lock.
class WorkQueueState {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // False: it waits already.
  bool Add(const Request& item, Time now);
  // Due at `when`; of two times for the same item the earlier counts.
  void AddAt(const Request& item, Time when);
  // Adds what is due. Returns how many were new.
  int AddDue(Time now);

  struct Taken {
    Request item;
    Time added;  // since when it waited
  };
  // The longest waiting, which is now being worked on; nullopt: nothing waits.
  std::optional<Taken> Take(Time now);
  // The end of the work; returns since when it was worked on, nullopt if it wasn't.
  std::optional<Time> Done(const Request& item, Time now);

  std::size_t Ready() const { return ready_.size(); }
  std::optional<Time> NextDue() const;
  void ForgetDelayed();

 private:
  void Push(const Request& item, Time now);

  std::deque<std::pair<Request, Time>> ready_;  // since when
  std::set<Request> dirty_;
  std::map<Request, Time> processing_;  // since when
  std::set<std::pair<Time, Request>> delayed_;
  std::map<Request, Time> due_;  // of delayed_
};

}  // namespace kube
