// SPDX-License-Identifier: Apache-2.0
// One leader among the replicas, by a Lease (coordination.k8s.io/v1), with client-go's rules: a
// lease is judged by when its change was seen here, not by the clock of who wrote it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "kube/client.h"

namespace kube {

struct LeaderElectionOptions {
  std::string name_space;
  std::string name;
  std::string identity;  // unique per process
  std::chrono::milliseconds lease_duration = std::chrono::seconds(15);
  std::chrono::milliseconds renew_deadline = std::chrono::seconds(10);
  std::chrono::milliseconds retry_period = std::chrono::seconds(2);
};

class LeaderElector {
 public:
  virtual ~LeaderElector() = default;
  // Waits to become leader, calls on_started once, renews until stop (then releases the lease and
  // returns true) or until the lease is lost (returns false: the process must end).
  virtual bool Run(std::stop_token stop, const std::function<void()>& on_started) = 0;
  virtual bool IsLeader() const = 0;
};

std::unique_ptr<LeaderElector> NewLeaderElector(Client& client,
                                                const LeaderElectionOptions& options,
                                                MetricsRegistry* metrics = nullptr);

}  // namespace kube
