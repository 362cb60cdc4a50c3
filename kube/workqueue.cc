// SPDX-License-Identifier: Apache-2.0
#include "kube/workqueue.h"

#include <condition_variable>
#include <mutex>

#include "kube/metrics.h"
#include "kube/retry_limiter.h"
#include "kube/workqueue_state.h"

namespace kube {
namespace {

using Clock = std::chrono::steady_clock;

class Queue final : public WorkQueue {
 public:
  Queue(const WorkQueueOptions& options, MetricsRegistry* metrics)
      : labels_{{"name", options.name}}, metrics_(metrics), limiter_(options) {}

  void Add(const Request& item) override {
    const std::lock_guard lock(mutex_);
    if (shut_down_ || !state_.Add(item, Clock::now())) return;
    Added(1);
    changed_.notify_one();
  }

  void AddAfter(const Request& item, std::chrono::milliseconds delay) override {
    if (delay <= delay.zero()) {
      Add(item);
      return;
    }
    const std::lock_guard lock(mutex_);
    AddLater(item, delay);
  }

  void AddRateLimited(const Request& item) override {
    const std::lock_guard lock(mutex_);
    AddLater(item, limiter_.DelayOf(item, Clock::now()));
  }

  void Forget(const Request& item) override {
    const std::lock_guard lock(mutex_);
    limiter_.Forget(item);
  }

  int Retries(const Request& item) const override {
    const std::lock_guard lock(mutex_);
    return limiter_.Failures(item);
  }

  std::optional<Request> Get() override {
    std::unique_lock lock(mutex_);
    for (;;) {
      Added(state_.AddDue(Clock::now()));
      if (state_.Ready() > 0) break;
      if (shut_down_) return std::nullopt;
      if (const auto due = state_.NextDue()) {
        changed_.wait_until(lock, *due);
      } else {
        changed_.wait(lock);
      }
    }
    const auto taken = state_.Take(Clock::now());
    Depth();
    Observe("workqueue_queue_duration_seconds",
            "How long in seconds an item stays in workqueue before being requested", taken->added);
    // Somebody else must watch for the rest now: what is due later, or became due just now.
    if (state_.Ready() > 0 || state_.NextDue()) changed_.notify_one();
    return taken->item;
  }

  void Done(const Request& item) override {
    const std::lock_guard lock(mutex_);
    const auto began = state_.Done(item, Clock::now());
    if (!began) return;
    Observe("workqueue_work_duration_seconds",
            "How long in seconds processing an item from workqueue takes.", *began);
    Depth();
    changed_.notify_one();
  }

  void ShutDown() override {
    const std::lock_guard lock(mutex_);
    shut_down_ = true;
    state_.ForgetDelayed();
    changed_.notify_all();
  }

  std::size_t Size() const override {
    const std::lock_guard lock(mutex_);
    return state_.Ready();
  }

 private:
  void AddLater(const Request& item, std::chrono::milliseconds delay) {
    if (shut_down_) return;
    if (metrics_ != nullptr) {
      metrics_->Count("workqueue_retries_total", "Total number of retries handled by workqueue",
                      labels_);
    }
    state_.AddAt(item, Clock::now() + delay);
    changed_.notify_one();
  }

  void Added(int count) {
    if (metrics_ == nullptr || count == 0) return;
    metrics_->Count("workqueue_adds_total", "Total number of adds handled by workqueue", labels_,
                    count);
    Depth();
  }

  void Depth() {
    if (metrics_ == nullptr) return;
    metrics_->Set("workqueue_depth", "Current depth of workqueue", labels_,
                  static_cast<double>(state_.Ready()));
  }

  void Observe(const char* name, const char* help, Clock::time_point since) {
    if (metrics_ == nullptr) return;
    metrics_->Observe(name, help, labels_,
                      std::chrono::duration<double>(Clock::now() - since).count(),
                      {1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100, 1000});
  }

  const MetricLabels labels_;
  MetricsRegistry* const metrics_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  WorkQueueState state_;
  RetryLimiter limiter_;
  bool shut_down_ = false;
};

}  // namespace

std::unique_ptr<WorkQueue> NewWorkQueue(const WorkQueueOptions& options, MetricsRegistry* metrics) {
  return std::make_unique<Queue>(options, metrics);
}

}  // namespace kube
