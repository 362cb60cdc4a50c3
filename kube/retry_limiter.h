// SPDX-License-Identifier: Apache-2.0
// How long a failed item waits before it is tried again.
#pragma once

#include <chrono>
#include <map>
#include <optional>

#include "kube/workqueue.h"

namespace kube {

// The longer of the item's own exponential backoff and the wait for a token of a bucket that all
// items share. Used under one lock.
class RetryLimiter {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit RetryLimiter(const WorkQueueOptions& options);

  // Counts a failure.
  std::chrono::milliseconds DelayOf(const Request& item, Time now);
  void Forget(const Request& item) { failures_.erase(item); }
  int Failures(const Request& item) const;

 private:
  const WorkQueueOptions options_;
  std::map<Request, int> failures_;
  double tokens_;  // below zero: promised
  std::optional<Time> filled_;
};

}  // namespace kube
