// SPDX-License-Identifier: Apache-2.0
// The kernel logs of nodes, by way of the node agents' pod logs: one reading per node, shared by
// all workloads that want to know about it.
#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "controllers/evidence/agent_record.h"
#include "controllers/evidence/log_slots.h"
#include "controllers/evidence/pod_log_reader.h"
#include "engine/time.h"
#include "kube/client.h"

namespace controllers {

// Who may be believed: the pods of this DaemonSet (by its UID, in this namespace), each about the
// node that it was scheduled to. A pod elsewhere that has the same name, labels or output is
// nothing.
struct AgentIdentity {
  std::string name_space;
  std::string daemonset;
};

// What hears of a node's records. Called from any thread, never at the same time, and no more once
// the subscription is gone; must not block for long, and must not touch the subscription.
class AgentSink {
 public:
  virtual ~AgentSink() = default;
  // In the order in which the agent printed them; each once.
  virtual void Record(const AgentLine& record) = 0;
  // After Seal: all that there was to read has been read, or can't be. Called once. More records
  // may follow for as long as the subscription lives.
  virtual void End(engine::Coverage coverage, const std::vector<LogGap>& gaps) = 0;
};

// Thread-safe. The log reads take their turns among all others.
class AgentLogs {
 public:
  // Its destruction ends the calls to the sink.
  class Subscription {
   public:
    virtual ~Subscription() = default;
    // The workload has ended: the sink hears End as soon as the agent has nothing more to say.
    virtual void Seal() = 0;
  };

  // All references must outlive it.
  AgentLogs(kube::Client& client, AgentIdentity identity, LogSlots& slots, const LogTiming& timing,
            std::function<engine::Time()> now);
  // All subscriptions must be gone.
  ~AgentLogs();
  AgentLogs(const AgentLogs&) = delete;
  AgentLogs& operator=(const AgentLogs&) = delete;

  // Records of `node` that were printed since `since`, then those that are added. The sink must
  // outlive the subscription.
  std::unique_ptr<Subscription> Subscribe(const std::string& node, engine::Time since,
                                          AgentSink& sink);

 private:
  class Reading;
  class SubscriptionImpl;
  struct Agent;

  // The agent's pod on a node, or why there is none to be believed. Throws kube::ApiError.
  std::variant<Agent, LogGap> FindAgent(const std::string& node, const std::stop_token& stop);
  std::string DaemonSetUid(const std::stop_token& stop);
  void Reap();

  kube::Client& client_;
  const AgentIdentity identity_;
  LogSlots& slots_;
  const LogTiming timing_;
  const std::function<engine::Time()> now_;
  std::mutex daemonset_mutex_;
  std::string daemonset_uid_;  // guarded by daemonset_mutex_
  std::chrono::steady_clock::time_point daemonset_read_;
  std::mutex mutex_;
  std::list<std::shared_ptr<Reading>> readings_;  // guarded by mutex_
};

}  // namespace controllers
