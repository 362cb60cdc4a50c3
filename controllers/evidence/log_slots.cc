// SPDX-License-Identifier: Apache-2.0
#include "controllers/evidence/log_slots.h"

#include <algorithm>
#include <utility>

namespace controllers {

struct LogSlots::Entry {
  enum class State { kWaiting, kRunning, kParked, kDone };
  std::string node;
  Priority priority = Priority::kUnread;
  Read read;
  std::uint64_t turn = 0;  // the order among equals
  State state = State::kWaiting;
  bool woken = false;  // while it ran
  bool cancelled = false;
  bool asked = false;      // to make room
  bool has_asked = false;  // somebody makes room for it already
  std::stop_source stop;
};

class LogSlots::TurnImpl final : public Turn {
 public:
  TurnImpl(LogSlots& slots, Entry& entry, std::stop_token stop)
      : slots_(slots), entry_(entry), stop_(std::move(stop)) {}
  std::stop_token stop() const override { return stop_; }
  void CaughtUp() override {
    const std::lock_guard lock(slots_.mutex_);
    if (entry_.priority != Priority::kUnread) return;
    entry_.priority = Priority::kFollowed;
    slots_.Rebalance();
  }

 private:
  LogSlots& slots_;
  Entry& entry_;
  const std::stop_token stop_;
};

class LogSlots::TicketImpl final : public Ticket {
 public:
  TicketImpl(LogSlots& slots, std::shared_ptr<Entry> entry)
      : slots_(slots), entry_(std::move(entry)) {}
  ~TicketImpl() override {
    std::unique_lock lock(slots_.mutex_);
    entry_->cancelled = true;
    entry_->stop.request_stop();
    slots_.changed_.wait(lock, [&] { return entry_->state != Entry::State::kRunning; });
    slots_.entries_.remove(entry_);
    slots_.Rebalance();
    slots_.Measure();
  }
  TicketImpl(const TicketImpl&) = delete;
  TicketImpl& operator=(const TicketImpl&) = delete;

  void Wake(Priority priority) override {
    const std::lock_guard lock(slots_.mutex_);
    entry_->priority = std::min(entry_->priority, priority);
    if (entry_->state == Entry::State::kRunning) entry_->woken = true;
    if (entry_->state == Entry::State::kParked) entry_->state = Entry::State::kWaiting;
    slots_.Rebalance();
  }

 private:
  LogSlots& slots_;
  const std::shared_ptr<Entry> entry_;
};

LogSlots::LogSlots(int total, int per_node, kube::MetricsRegistry& metrics)
    : total_(total), per_node_(per_node), metrics_(metrics) {}

LogSlots::~LogSlots() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  threads_.clear();  // joins
}

std::unique_ptr<LogSlots::Ticket> LogSlots::Add(const std::string& node, Priority priority,
                                                Read read) {
  const std::lock_guard lock(mutex_);
  auto entry = std::make_shared<Entry>();
  entry->node = node;
  entry->priority = priority;
  entry->read = std::move(read);
  entry->turn = next_++;
  entries_.push_back(entry);
  Rebalance();
  Measure();
  return std::make_unique<TicketImpl>(*this, std::move(entry));
}

// Under the lock. The best waiting entry that there is room for.
std::shared_ptr<LogSlots::Entry> LogSlots::Pick() {
  if (running_ >= total_) return nullptr;
  std::shared_ptr<Entry> best;
  for (const auto& entry : entries_) {
    if (entry->state != Entry::State::kWaiting || running_on_[entry->node] >= per_node_) continue;
    if (!best || std::pair(entry->priority, entry->turn) < std::pair(best->priority, best->turn)) {
      best = entry;
    }
  }
  return best;
}

// Under the lock. Gets threads to run what there is room for, and room for what is worth more than
// what runs.
void LogSlots::Rebalance() {
  if (Pick() != nullptr) {
    if (idle_ == 0 && static_cast<int>(threads_.size()) < total_ && !stopping_) {
      threads_.emplace_back([this] { Work(); });
    }
    changed_.notify_all();
  }
  for (const auto& waiting : entries_) {
    if (waiting->state != Entry::State::kWaiting || waiting->has_asked) continue;
    const bool node_full = running_on_[waiting->node] >= per_node_;
    if (!node_full && running_ < total_) continue;
    Entry* worst = nullptr;
    for (const auto& running : entries_) {
      if (running->state != Entry::State::kRunning || running->asked ||
          running->priority <= waiting->priority || (node_full && running->node != waiting->node)) {
        continue;
      }
      if (worst == nullptr || running->priority > worst->priority) worst = running.get();
    }
    if (worst == nullptr) continue;
    worst->asked = true;
    waiting->has_asked = true;
    worst->stop.request_stop();
  }
}

void LogSlots::Work() {
  std::unique_lock lock(mutex_);
  while (true) {
    std::shared_ptr<Entry> entry;
    ++idle_;
    changed_.wait(lock, [&] { return stopping_ || (entry = Pick()) != nullptr; });
    --idle_;
    if (stopping_) return;
    entry->state = Entry::State::kRunning;
    entry->woken = false;
    entry->asked = false;
    entry->has_asked = false;
    ++running_;
    ++running_on_[entry->node];
    Rebalance();
    Measure();
    TurnImpl turn(*this, *entry, entry->stop.get_token());
    lock.unlock();
    const Next next = entry->read(turn);
    lock.lock();
    --running_;
    if (--running_on_[entry->node] == 0) running_on_.erase(entry->node);
    if (next == Next::kDone) {
      entry->state = Entry::State::kDone;
    } else if (next == Next::kPark && !entry->woken) {
      entry->state = Entry::State::kParked;
    } else {
      entry->state = Entry::State::kWaiting;
      entry->turn = next_++;
    }
    if (!entry->cancelled && entry->stop.stop_requested()) entry->stop = std::stop_source();
    if (entry->cancelled) entry->state = Entry::State::kDone;
    if (entry->state == Entry::State::kDone) entries_.remove(entry);
    changed_.notify_all();
    Rebalance();
    Measure();
  }
}

// Under the lock.
void LogSlots::Measure() {
  const auto waiting = std::count_if(entries_.begin(), entries_.end(), [](const auto& entry) {
    return entry->state == Entry::State::kWaiting;
  });
  metrics_.Set("attribution_log_reads", "Log reads that are open, and that wait for their turn.",
               {{"state", "open"}}, running_);
  metrics_.Set("attribution_log_reads", "Log reads that are open, and that wait for their turn.",
               {{"state", "waiting"}}, static_cast<double>(waiting));
}

}  // namespace controllers
