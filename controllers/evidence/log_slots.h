// SPDX-License-Identifier: Apache-2.0
// Who may read a log now. Log reads bypass the API server's priority and fairness and end at the
// nodes' kubelets, so only so many are open at a time, in all and per node; the logs that matter
// most come first, and a log that is merely followed makes room for one that nobody has read yet.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "kube/metrics.h"

namespace controllers {

// Thread-safe. Runs the reads on threads of its own, started as they are needed.
class LogSlots {
 public:
  // Best first. A waiting read takes the place of a running one that is worth less.
  enum class Priority {
    kFailed,    // of a pod that failed, or is about to vanish
    kUnread,    // has not been read up to now
    kFollowed,  // nothing was waiting in it a moment ago
  };
  enum class Next {
    kDone,   // never again
    kAgain,  // was asked to stop: back into the line
    kPark,   // not before Wake
  };

  // What a read can tell while it runs.
  class Turn {
   public:
    virtual ~Turn() = default;
    // Asked to stop when the read is cancelled or has to make room.
    virtual std::stop_token stop() const = 0;
    // Everything that was there has been read; from now on it only follows.
    virtual void CaughtUp() = 0;
  };
  using Read = std::function<Next(Turn&)>;

  // A read in the line, or running. Its destruction takes it out, and waits for the end of its
  // turn.
  class Ticket {
   public:
    virtual ~Ticket() = default;
    // Raises the priority (never lowers it) and brings a parked read back into the line.
    virtual void Wake(Priority priority) = 0;
  };

  LogSlots(int total, int per_node, kube::MetricsRegistry& metrics);
  // All tickets must be gone.
  ~LogSlots();
  LogSlots(const LogSlots&) = delete;
  LogSlots& operator=(const LogSlots&) = delete;

  // `read` is called again and again, on one thread at a time, until it returns kDone. It must not
  // throw.
  std::unique_ptr<Ticket> Add(const std::string& node, Priority priority, Read read);

 private:
  struct Entry;
  class TicketImpl;
  class TurnImpl;

  void Work();
  std::shared_ptr<Entry> Pick();
  void Rebalance();
  void Measure();

  const int total_;
  const int per_node_;
  kube::MetricsRegistry& metrics_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<std::shared_ptr<Entry>> entries_;  // not those that are done; guarded by mutex_, as
                                               // is all below
  std::map<std::string, int> running_on_;
  int running_ = 0;
  int idle_ = 0;
  bool stopping_ = false;
  std::uint64_t next_ = 0;
  std::vector<std::jthread> threads_;
};

}  // namespace controllers
