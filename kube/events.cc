// SPDX-License-Identifier: Apache-2.0
#include "kube/events.h"

#include <fmt/format.h>

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>
#include <tuple>

#include "kube/log.h"
#include "kube/metrics.h"
#include "kube/micro_time.h"

namespace kube {
namespace {

using Clock = std::chrono::steady_clock;

const Resource kEvents{"events.k8s.io", "v1", "events", "Event", true};

constexpr std::size_t kMaxNote = 1024;
constexpr std::size_t kMaxQueue = 1000;
constexpr std::size_t kMaxSeries = 1000;
// A repeat after this long is a new event, not part of a series (client-go's finishTime).
constexpr std::chrono::minutes kSeriesAge{6};
// How often a growing series is written.
constexpr std::chrono::seconds kSeriesPause{10};
// client-go's spam filter: per object a burst of 25, then one in five minutes.
constexpr double kBurst = 25;
constexpr double kPerSecond = 1.0 / 300;
constexpr std::chrono::seconds kSendDeadline{10};

std::string CutNote(std::string note) {
  if (note.size() <= kMaxNote) return note;
  std::size_t end = kMaxNote - 3;
  while (end > 0 && (static_cast<unsigned char>(note[end]) & 0xC0U) == 0x80U) --end;
  note.resize(end);
  return note + "...";
}

class Recorder final : public EventRecorder {
 public:
  Recorder(Client& client, std::string controller, std::string instance, MetricsRegistry* metrics)
      : client_(client),
        controller_(std::move(controller)),
        instance_(std::move(instance)),
        metrics_(metrics),
        thread_([this](const std::stop_token& stop) { Send(stop); }) {}

  void Event(const Json& regarding, EventType type, const std::string& reason,
             const std::string& action, const std::string& note) override {
    const std::lock_guard lock(mutex_);
    if (queue_.size() >= kMaxQueue || !Admit(UidOf(regarding))) {
      Dropped();
      return;
    }
    queue_.push_back({.regarding = regarding,
                      .type = type,
                      .reason = reason,
                      .action = action,
                      .note = CutNote(note),
                      .time = std::chrono::system_clock::now()});
    changed_.notify_all();
  }

  void Flush(std::chrono::milliseconds timeout) override {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, timeout, [&] { return queue_.empty() && !sending_; });
  }

 private:
  struct Item {
    Json regarding;
    EventType type = EventType::kNormal;
    std::string reason;
    std::string action;
    std::string note;
    std::chrono::system_clock::time_point time;
  };
  struct Series {
    ObjectKey key;  // of the Event object
    int count = 1;
    Clock::time_point last;
    Clock::time_point written;
  };
  struct Bucket {
    double tokens = kBurst;
    Clock::time_point last = Clock::now();
  };
  using SeriesKey = std::tuple<std::string, std::string, std::string, std::string>;

  bool Admit(const std::string& uid) {
    if (buckets_.size() > kMaxSeries) buckets_.clear();
    Bucket& bucket = buckets_[uid];
    const auto now = Clock::now();
    bucket.tokens =
        std::min(kBurst, bucket.tokens +
                             std::chrono::duration<double>(now - bucket.last).count() * kPerSecond);
    bucket.last = now;
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }

  void Dropped() {
    if (metrics_ != nullptr) {
      metrics_->Count("events_dropped_total",
                      "Events that were not sent: too many of one object, or the API server did "
                      "not take them.",
                      {});
    }
  }

  void Send(const std::stop_token& stop) {
    for (;;) {
      Item item;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, stop, [&] { return !queue_.empty(); });
        if (queue_.empty()) return;  // stopped
        item = std::move(queue_.front());
        queue_.pop_front();
        sending_ = true;
      }
      try {
        SendOne(item, stop);
      } catch (const std::exception& error) {
        Dropped();
        if (!stop.stop_requested()) {
          Log(LogLevel::kWarning, "an event was not sent",
              {{"reason", item.reason}, {"error", error.what()}});
        }
      }
      const std::lock_guard lock(mutex_);
      sending_ = false;
      changed_.notify_all();
    }
  }

  void SendOne(const Item& item, const std::stop_token& stop) {
    const CallOptions call{.deadline = kSendDeadline, .stop = stop};
    const auto now = Clock::now();
    const SeriesKey key{UidOf(item.regarding), item.reason, item.action, item.note};
    const auto known = series_.find(key);
    if (known != series_.end() && now - known->second.last < kSeriesAge) {
      Series& series = known->second;
      ++series.count;
      series.last = now;
      // Each write of a series is one more request for no new information.
      if (now - series.written < kSeriesPause) return;
      try {
        client_.Patch(
            kEvents, series.key,
            {{"series", {{"count", series.count}, {"lastObservedTime", MicroTime(item.time)}}}},
            {.type = PatchType::kMerge}, call);
        series.written = now;
        return;
      } catch (const ApiError& error) {
        if (!error.IsNotFound()) throw;  // expired there: a new one
      }
    }
    if (series_.size() >= kMaxSeries) series_.clear();
    const Json event = NewEvent(item);
    client_.Create(kEvents, event, call);
    series_[key] = {.key = KeyOf(event), .count = 1, .last = now, .written = {}};
  }

  Json NewEvent(const Item& item) {
    const std::string own = NamespaceOf(item.regarding);
    const std::string name_space = own.empty() ? "default" : own;
    const auto nanoseconds =
        std::chrono::duration_cast<std::chrono::nanoseconds>(item.time.time_since_epoch()).count();
    Json regarding = {{"apiVersion", StringAt(item.regarding, "/apiVersion")},
                      {"kind", StringAt(item.regarding, "/kind")},
                      {"name", NameOf(item.regarding)},
                      {"uid", UidOf(item.regarding)}};
    if (!own.empty()) regarding["namespace"] = own;
    return {{"apiVersion", kEvents.ApiVersion()},
            {"kind", kEvents.kind},
            {"metadata",
             {{"name", fmt::format("{}.{:x}{:x}", NameOf(item.regarding).substr(0, 200),
                                   nanoseconds, next_++ & 0xFFU)},
              {"namespace", name_space}}},
            {"eventTime", MicroTime(item.time)},
            {"reportingController", controller_},
            {"reportingInstance", instance_.empty() ? controller_ : instance_},
            {"type", item.type == EventType::kWarning ? "Warning" : "Normal"},
            {"reason", item.reason},
            {"action", item.action},
            {"note", item.note},
            {"regarding", std::move(regarding)}};
  }

  Client& client_;
  const std::string controller_;
  const std::string instance_;
  MetricsRegistry* const metrics_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Item> queue_;                 // guarded by mutex_
  std::map<std::string, Bucket> buckets_;  // guarded by mutex_
  bool sending_ = false;                   // guarded by mutex_
  std::map<SeriesKey, Series> series_;     // the thread's own
  unsigned next_ = 0;                      // the thread's own
  std::jthread thread_;                    // last: it ends first
};

}  // namespace

std::unique_ptr<EventRecorder> NewEventRecorder(Client& client, const std::string& controller,
                                                const std::string& instance,
                                                MetricsRegistry* metrics) {
  return std::make_unique<Recorder>(client, controller, instance, metrics);
}

}  // namespace kube
