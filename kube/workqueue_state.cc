// SPDX-License-Identifier: Apache-2.0
#include "kube/workqueue_state.h"

namespace kube {

bool WorkQueueState::Add(const Request& item, Time now) {
  if (!dirty_.insert(item).second) return false;
  if (!processing_.contains(item)) Push(item, now);
  return true;
}

void WorkQueueState::AddAt(const Request& item, Time when) {
  const auto [known, is_new] = due_.try_emplace(item, when);
  if (!is_new) {
    if (known->second <= when) return;
    delayed_.erase({known->second, item});
    known->second = when;
  }
  delayed_.insert({when, item});
}

int WorkQueueState::AddDue(Time now) {
  int added = 0;
  while (!delayed_.empty() && delayed_.begin()->first <= now) {
    const Request item = delayed_.begin()->second;
    delayed_.erase(delayed_.begin());
    due_.erase(item);
    if (Add(item, now)) ++added;
  }
  return added;
}

std::optional<WorkQueueState::Taken> WorkQueueState::Take(Time now) {
  if (ready_.empty()) return std::nullopt;
  const auto [item, added] = ready_.front();
  ready_.pop_front();
  dirty_.erase(item);
  processing_[item] = now;
  return Taken{item, added};
}

std::optional<WorkQueueState::Time> WorkQueueState::Done(const Request& item, Time now) {
  const auto found = processing_.find(item);
  if (found == processing_.end()) return std::nullopt;
  const Time began = found->second;
  processing_.erase(found);
  if (dirty_.contains(item)) Push(item, now);
  return began;
}

std::optional<WorkQueueState::Time> WorkQueueState::NextDue() const {
  if (delayed_.empty()) return std::nullopt;
  return delayed_.begin()->first;
}

void WorkQueueState::ForgetDelayed() {
  delayed_.clear();
  due_.clear();
}

void WorkQueueState::Push(const Request& item, Time now) { ready_.emplace_back(item, now); }

}  // namespace kube
