// SPDX-License-Identifier: Apache-2.0
// The queue between watches and workers: deduplicating, delayed, rate limited; a key is never with
// two workers at once, and one that is added while being worked on comes again afterwards.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "kube/reconciler.h"

namespace kube {

class MetricsRegistry;

struct WorkQueueOptions {
  std::string name;  // label of the metrics
  std::chrono::milliseconds base_delay{5};
  std::chrono::milliseconds max_delay = std::chrono::seconds(1000);
  double overall_per_second = 10;  // token bucket over all retries
  int overall_burst = 100;
};

// Thread-safe.
class WorkQueue {
 public:
  virtual ~WorkQueue() = default;
  virtual void Add(const Request& item) = 0;
  virtual void AddAfter(const Request& item, std::chrono::milliseconds delay) = 0;
  // After a failure: exponential per item, and not before the bucket has a token.
  virtual void AddRateLimited(const Request& item) = 0;
  virtual void Forget(const Request& item) = 0;  // success: resets the item's backoff
  virtual int Retries(const Request& item) const = 0;
  // Waits for an item; nullopt once shut down and drained.
  virtual std::optional<Request> Get() = 0;
  virtual void Done(const Request& item) = 0;  // must follow each Get
  virtual void ShutDown() = 0;                 // Get drains what is ready, then ends
  virtual std::size_t Size() const = 0;
};

std::unique_ptr<WorkQueue> NewWorkQueue(const WorkQueueOptions& options,
                                        MetricsRegistry* metrics = nullptr);

}  // namespace kube
