// SPDX-License-Identifier: Apache-2.0
// A controller: watches that feed a work queue, workers that reconcile.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kube/cache.h"
#include "kube/reconciler.h"
#include "kube/workqueue.h"

namespace kube {

// Which requests a changed object gives rise to.
using MapFunction = std::function<std::vector<Request>(const Json& object)>;
// Whether a change matters. `before` is null for additions, `after` for deletions.
using Predicate = std::function<bool(const Json* before, const Json* after)>;

// The object's own key.
std::vector<Request> MapToSelf(const Json& object);

// Passes creations, deletions and updates that changed metadata.generation.
bool GenerationChanged(const Json* before, const Json* after);

struct ControllerOptions {
  std::string name;
  int max_concurrent_reconciles = 1;
  WorkQueueOptions queue;  // its name is set to the controller's
};

class Controller {
 public:
  virtual ~Controller() = default;
  // Only before the manager starts. The informer must outlive the controller.
  virtual void Watch(Informer& informer, MapFunction map = MapToSelf,
                     Predicate predicate = nullptr) = 0;
  // Another source of requests (a timer, a finished background read). Thread-safe.
  virtual void Enqueue(const Request& request) = 0;
  virtual void EnqueueAfter(const Request& request, std::chrono::milliseconds delay) = 0;
  virtual const std::string& name() const = 0;
  // Runs workers until stop, then finishes what is being worked on. The manager calls it.
  virtual void Run(std::stop_token stop) = 0;
};

// The reconciler must outlive the controller.
std::unique_ptr<Controller> NewController(const ControllerOptions& options, Reconciler& reconciler,
                                          MetricsRegistry* metrics = nullptr);

}  // namespace kube
