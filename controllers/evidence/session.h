// SPDX-License-Identifier: Apache-2.0
// The gathering of one attempt's evidence into an engine::Case, from the first failed container to
// the end of what can be read.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "controllers/evidence/lines.h"
#include "controllers/evidence/log_timing.h"
#include "engine/case.h"
#include "engine/ruleset.h"
#include "kube/cache.h"
#include "kube/client.h"
#include "kube/metrics.h"

namespace controllers {

// Whose evidence. A plain value.
struct SessionSubject {
  std::string name_space;  // the Attribution's own: nothing of another namespace is read
  std::string kind;        // "Job"
  std::string name;
  std::string uid;
  std::string attempt_id;
  // True for origin Operator; a request made by hand gets only symptom lines of node logs, and its
  // node sources never establish.
  bool operator_origin = true;
  bool remote = false;
};

// What a session has to work with, decided by the AttributionPolicy.
struct SessionOptions {
  std::set<std::string> node_logs;  // "Agent", "KubeletLogs"
  std::int64_t max_bytes_per_container = 16LL << 20;
  std::int64_t max_bytes_per_workload = 4LL << 30;
  std::vector<std::string> redact;
};

// For status.placement.
struct Placement {
  std::int64_t pods = 0;
  std::int64_t nodes = 0;
  std::int64_t gpus = 0;
  std::string queue;
  std::string user;
  std::string framework;
};

// One attempt's gathering. Thread-safe. Ends its reads when destroyed (joins them).
class Session {
 public:
  virtual ~Session() = default;
  // Tells the session how the workload and its pods stand now; opens what has appeared. Cheap and
  // idempotent: called at every reconcile.
  virtual void Update(const engine::Workload& workload, const std::vector<kube::ObjectPtr>& pods,
                      const std::vector<StatusLine>& workload_lines) = 0;
  // No pod will appear or print any more: what is being read ends at its end, node logs are read
  // up to the workload's end.
  virtual void Seal() = 0;
  // Seals it while the workload goes on; the gap says why.
  virtual void CutShort(const std::string& why) = 0;
  // Sealed and nothing is being read any more.
  virtual bool Drained() const = 0;
  // The verdict on what has come so far, with the session's gaps in it.
  virtual engine::Attribution Attribute(const engine::History& history) const = 0;
  virtual Placement placement() const = 0;
  // When the first container failed, by the pod's status, in whole seconds (for the latency
  // metric).
  virtual std::optional<engine::Time> first_failure() const = 0;
  // The bootID of a node under which a line of this source and time was written; empty if unknown.
  virtual std::string BootId(const std::string& node, engine::Source source,
                             engine::Time time) const = 0;
};

// Makes sessions. Thread-safe. Holds the limits on log reads (32 at a time, 4 per node, failed pods
// first).
class Collector {
 public:
  virtual ~Collector() = default;
  // `changed` is called from any thread when new evidence made another Attribute() worthwhile or
  // Drained() became true; it must not block.
  virtual std::unique_ptr<Session> Start(const SessionSubject& subject,
                                         const SessionOptions& options,
                                         std::shared_ptr<const engine::Ruleset> ruleset,
                                         std::function<void()> changed) = 0;
};

// The current time.
engine::Time SystemNow();

struct CollectorOptions {
  std::string agent_namespace = "attribution-agent";
  std::string agent_daemonset = "attribution-node-agent";
  bool kubelet_logs = false;  // nodes/proxy is granted
  int max_log_reads = 32;
  int max_log_reads_per_node = 4;
  LogTiming timing;
  std::function<engine::Time()> now = SystemNow;
};

// The informer of Nodes that all controllers share, without the list of their images. Before the
// cache starts.
kube::Informer& NodeInformer(kube::Cache& cache);

// Before the cache starts. All must outlive it.
std::unique_ptr<Collector> NewCollector(kube::Client& client, kube::Cache& cache,
                                        const CollectorOptions& options,
                                        kube::MetricsRegistry& metrics);

}  // namespace controllers
