// SPDX-License-Identifier: Apache-2.0
// What a controller author writes.
#pragma once

#include <chrono>
#include <optional>
#include <stop_token>

#include "kube/resource.h"

namespace kube {

using Request = ObjectKey;

struct Result {
  // Unset: done until something changes. Set: again after this long, without counting as a failure.
  std::optional<std::chrono::milliseconds> requeue_after;
};

// Level-triggered: reads the world and moves it towards what it should be; never sees the event.
// Called for one request at a time per key, from several threads for different keys. A throw is
// counted, logged and retried with backoff; a conflict is retried too, but is no error.
class Reconciler {
 public:
  virtual ~Reconciler() = default;
  // `stop` is asked to stop when the process ends: give up waiting then.
  virtual Result Reconcile(const Request& request, std::stop_token stop) = 0;
};

}  // namespace kube
