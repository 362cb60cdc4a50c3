// SPDX-License-Identifier: Apache-2.0
#include "kube/controller.h"

#include <nlohmann/json.hpp>
#include <thread>

#include "kube/log.h"
#include "kube/metrics.h"

namespace kube {
namespace {

class ControllerImpl final : public Controller {
 public:
  ControllerImpl(const ControllerOptions& options, Reconciler& reconciler, MetricsRegistry* metrics)
      : options_(options), reconciler_(reconciler), metrics_(metrics) {
    WorkQueueOptions queue = options.queue;
    queue.name = options.name;
    queue_ = NewWorkQueue(queue, metrics);
  }

  void Watch(Informer& informer, MapFunction map, Predicate predicate) override {
    const auto enqueue = [this, map](const Json& object) {
      for (const Request& request : map(object)) queue_->Add(request);
    };
    informer.AddEventHandler(
        {.on_add =
             [enqueue, predicate](const ObjectPtr& object, bool) {
               if (!predicate || predicate(nullptr, object.get())) enqueue(*object);
             },
         .on_update =
             [enqueue, predicate](const ObjectPtr& before, const ObjectPtr& after) {
               if (predicate && !predicate(before.get(), after.get())) return;
               // What an object mapped to before may have to hear that it doesn't any more.
               enqueue(*before);
               enqueue(*after);
             },
         .on_delete =
             [enqueue, predicate](const ObjectPtr& object, bool) {
               if (!predicate || predicate(object.get(), nullptr)) enqueue(*object);
             }});
  }

  void Enqueue(const Request& request) override { queue_->Add(request); }
  void EnqueueAfter(const Request& request, std::chrono::milliseconds delay) override {
    queue_->AddAfter(request, delay);
  }
  const std::string& name() const override { return options_.name; }

  void Run(std::stop_token stop) override {
    const std::stop_callback on_stop(stop, [this] { queue_->ShutDown(); });
    std::vector<std::jthread> workers;
    for (int i = 0; i < options_.max_concurrent_reconciles; ++i) {
      workers.emplace_back([this, stop] { Work(stop); });
    }
  }

 private:
  void Work(const std::stop_token& stop) {
    while (const auto request = queue_->Get()) {
      // What is still queued when the end comes is left to the next process.
      if (!stop.stop_requested()) ReconcileOne(*request, stop);
      queue_->Done(*request);
    }
  }

  void ReconcileOne(const Request& request, const std::stop_token& stop) {
    const auto began = std::chrono::steady_clock::now();
    const char* outcome = "success";
    try {
      const Result result = reconciler_.Reconcile(request, stop);
      queue_->Forget(request);
      if (result.requeue_after) {
        queue_->AddAfter(request, *result.requeue_after);
        outcome = "requeue_after";
      }
    } catch (const ApiError& error) {
      if (error.IsCancelled() && stop.stop_requested()) return;
      if (error.IsConflict()) {
        // Somebody else was faster: no error, and the cache will have the newer object in a moment.
        outcome = "requeue";
        Log(LogLevel::kDebug, "reconcile met a newer object, will be tried again",
            {{"controller", options_.name},
             {"object", request.ToString()},
             {"error", error.what()}});
        queue_->AddRateLimited(request);
      } else {
        outcome = "error";
        Failed(request, error.what());
      }
    } catch (const std::exception& error) {
      outcome = "error";
      Failed(request, error.what());
    }
    if (metrics_ == nullptr) return;
    const MetricLabels labels{{"controller", options_.name}};
    metrics_->Count("controller_runtime_reconcile_total",
                    "Total number of reconciliations per controller",
                    {{"controller", options_.name}, {"result", outcome}});
    metrics_->Observe(
        "controller_runtime_reconcile_time_seconds",
        "Length of time per reconciliation per controller", labels,
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(),
        {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60});
  }

  void Failed(const Request& request, const char* what) {
    Log(LogLevel::kError, "reconcile failed, will be tried again",
        {{"controller", options_.name},
         {"object", request.ToString()},
         {"retries", std::to_string(queue_->Retries(request))},
         {"error", what}});
    if (metrics_ != nullptr) {
      metrics_->Count("controller_runtime_reconcile_errors_total",
                      "Total number of reconciliation errors per controller",
                      {{"controller", options_.name}});
    }
    queue_->AddRateLimited(request);
  }

  const ControllerOptions options_;
  Reconciler& reconciler_;
  MetricsRegistry* const metrics_;
  std::unique_ptr<WorkQueue> queue_;
};

}  // namespace

std::vector<Request> MapToSelf(const Json& object) { return {KeyOf(object)}; }

bool GenerationChanged(const Json* before, const Json* after) {
  if (before == nullptr || after == nullptr) return true;
  return GenerationOf(*before) != GenerationOf(*after) ||
         IsBeingDeleted(*before) != IsBeingDeleted(*after);
}

std::unique_ptr<Controller> NewController(const ControllerOptions& options, Reconciler& reconciler,
                                          MetricsRegistry* metrics) {
  return std::make_unique<ControllerImpl>(options, reconciler, metrics);
}

}  // namespace kube
