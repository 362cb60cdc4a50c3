// SPDX-License-Identifier: Apache-2.0
// client-go's rules: an item is in `dirty_` while it waits to be worked on, in `processing_` while
// a worker has it; added meanwhile it is only marked dirty, and queued again by Done.
#include "kube/workqueue.h"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>

#include "kube/metrics.h"

namespace kube {
namespace {

using Clock = std::chrono::steady_clock;

class Queue final : public WorkQueue {
 public:
  Queue(const WorkQueueOptions& options, MetricsRegistry* metrics)
      : options_(options), metrics_(metrics), tokens_(options.overall_burst) {}

  void Add(const Request& item) override {
    const std::lock_guard lock(mutex_);
    AddLocked(item);
  }

  void AddAfter(const Request& item, std::chrono::milliseconds delay) override {
    if (delay <= delay.zero()) {
      Add(item);
      return;
    }
    const std::lock_guard lock(mutex_);
    if (shut_down_) return;
    Count("workqueue_retries_total", "Total number of retries handled by workqueue");
    // The earlier of two times counts, as in client-go.
    const auto when = Clock::now() + delay;
    const auto known = due_.find(item);
    if (known != due_.end()) {
      if (known->second <= when) return;
      delayed_.erase({known->second, item});
    }
    due_[item] = when;
    delayed_.insert({when, item});
    changed_.notify_one();
  }

  void AddRateLimited(const Request& item) override { AddAfter(item, DelayOf(item)); }

  void Forget(const Request& item) override {
    const std::lock_guard lock(mutex_);
    failures_.erase(item);
  }

  int Retries(const Request& item) const override {
    const std::lock_guard lock(mutex_);
    const auto found = failures_.find(item);
    return found == failures_.end() ? 0 : found->second;
  }

  std::optional<Request> Get() override {
    std::unique_lock lock(mutex_);
    for (;;) {
      MoveDue();
      if (!ready_.empty()) break;
      if (shut_down_) return std::nullopt;
      if (delayed_.empty()) {
        changed_.wait(lock);
      } else {
        const auto next = delayed_.begin()->first;
        changed_.wait_until(lock, next);
      }
    }
    const Request item = ready_.front();
    ready_.pop_front();
    dirty_.erase(item);
    processing_[item] = Clock::now();
    Depth();
    Observe("workqueue_queue_duration_seconds",
            "How long in seconds an item stays in workqueue before being requested", added_[item]);
    added_.erase(item);
    return item;
  }

  void Done(const Request& item) override {
    const std::lock_guard lock(mutex_);
    const auto found = processing_.find(item);
    if (found == processing_.end()) return;
    Observe("workqueue_work_duration_seconds",
            "How long in seconds processing an item from workqueue takes.", found->second);
    processing_.erase(found);
    if (dirty_.count(item) > 0) Enqueue(item);
  }

  void ShutDown() override {
    const std::lock_guard lock(mutex_);
    shut_down_ = true;
    delayed_.clear();
    due_.clear();
    changed_.notify_all();
  }

  std::size_t Size() const override {
    const std::lock_guard lock(mutex_);
    return ready_.size();
  }

 private:
  void AddLocked(const Request& item) {
    if (shut_down_ || dirty_.count(item) > 0) return;
    Count("workqueue_adds_total", "Total number of adds handled by workqueue");
    dirty_.insert(item);
    if (processing_.count(item) == 0) Enqueue(item);
  }

  void Enqueue(const Request& item) {
    ready_.push_back(item);
    added_[item] = Clock::now();
    Depth();
    changed_.notify_one();
  }

  void MoveDue() {
    const auto now = Clock::now();
    while (!delayed_.empty() && delayed_.begin()->first <= now) {
      const Request item = delayed_.begin()->second;
      delayed_.erase(delayed_.begin());
      due_.erase(item);
      AddLocked(item);
    }
  }

  // The longer of the item's own backoff and the wait for a token of the bucket that all share.
  std::chrono::milliseconds DelayOf(const Request& item) {
    const std::lock_guard lock(mutex_);
    const int failures = failures_[item]++;
    const double base = static_cast<double>(options_.base_delay.count());
    const double most = static_cast<double>(options_.max_delay.count());
    const double own = std::min(most, base * std::pow(2.0, std::min(failures, 60)));

    const auto now = Clock::now();
    if (bucket_started_) {
      const double seconds = std::chrono::duration<double>(now - bucket_time_).count();
      tokens_ =
          std::min<double>(options_.overall_burst, tokens_ + seconds * options_.overall_per_second);
    }
    bucket_started_ = true;
    bucket_time_ = now;
    tokens_ -= 1;
    const double shared = tokens_ < 0 ? -tokens_ / options_.overall_per_second * 1000 : 0;
    return std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(std::max(own, shared))));
  }

  void Count(const char* name, const char* help) {
    if (metrics_ != nullptr) metrics_->Count(name, help, {{"name", options_.name}});
  }
  void Depth() {
    if (metrics_ != nullptr) {
      metrics_->Set("workqueue_depth", "Current depth of workqueue", {{"name", options_.name}},
                    static_cast<double>(ready_.size()));
    }
  }
  void Observe(const char* name, const char* help, Clock::time_point since) {
    if (metrics_ != nullptr) {
      metrics_->Observe(name, help, {{"name", options_.name}},
                        std::chrono::duration<double>(Clock::now() - since).count(),
                        {1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100, 1000});
    }
  }

  const WorkQueueOptions options_;
  MetricsRegistry* const metrics_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Request> ready_;
  std::set<Request> dirty_;
  std::map<Request, Clock::time_point> processing_;  // since when
  std::map<Request, Clock::time_point> added_;       // of ready_
  std::set<std::pair<Clock::time_point, Request>> delayed_;
  std::map<Request, Clock::time_point> due_;  // of delayed_
  std::map<Request, int> failures_;
  double tokens_;
  bool bucket_started_ = false;
  Clock::time_point bucket_time_{};
  bool shut_down_ = false;
};

}  // namespace

std::unique_ptr<WorkQueue> NewWorkQueue(const WorkQueueOptions& options, MetricsRegistry* metrics) {
  return std::make_unique<Queue>(options, metrics);
}

}  // namespace kube
