// SPDX-License-Identifier: Apache-2.0
// Runs a process full of controllers: probes and metrics first, then leader election, caches,
// controllers; stops in reverse within a grace period.
//
//   kube::Manager manager(kube::LoadConfig(), options);
//   auto& jobs = manager.cache().InformerFor({.resource = kJobs});
//   auto& controller = manager.AddController({.name = "job"}, reconciler);
//   controller.Watch(jobs);
//   return manager.Run(kube::StopOnSignals());
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "kube/cache.h"
#include "kube/client.h"
#include "kube/config.h"
#include "kube/controller.h"
#include "kube/events.h"
#include "kube/leader_election.h"
#include "kube/metrics.h"

namespace kube {

struct ManagerOptions {
  std::string name = "attribution";            // reportingController of events
  std::string instance;                        // the pod's name
  std::string health_probe_address = ":8081";  // empty: none
  std::string metrics_address;                 // ":8443"; empty: none
  bool metrics_secure = true;  // TLS with TokenReview and SubjectAccessReview; false: plain
  std::string metrics_certificate_file;  // with metrics_secure; empty: self-signed, made at start
  std::string metrics_key_file;
  std::optional<LeaderElectionOptions> leader_election;  // unset: no election
  std::chrono::milliseconds grace_period = std::chrono::seconds(20);
  std::chrono::milliseconds cache_sync_timeout = std::chrono::minutes(2);
};

// A thread of its own within the manager's life; returns when stop is asked for.
using Runnable = std::function<void(std::stop_token stop)>;

class Manager {
 public:
  Manager(const Config& config, ManagerOptions options);
  ~Manager();
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  Client& client();
  Cache& cache();
  EventRecorder& events();
  MetricsRegistry& metrics();

  // Only before Run. The manager owns the controller; the reconciler must outlive the manager.
  Controller& AddController(const ControllerOptions& options, Reconciler& reconciler);
  // Starts with the controllers (leader only) or, if every_replica, at once.
  void Add(const std::string& name, Runnable runnable, bool every_replica = false);
  // A readiness check by name: empty when well, else what is wrong. Before Run.
  void AddReadyCheck(const std::string& name, std::function<std::string()> check);

  // Blocks. 0 after an orderly stop; 1 when leadership was lost or something failed to start
  // (logged).
  int Run(const std::stop_token& stop);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// A token that is asked to stop by SIGTERM or SIGINT; a second signal ends the process at once.
// Call once per process, before threads start.
std::stop_token StopOnSignals();

}  // namespace kube
