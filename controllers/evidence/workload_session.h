// SPDX-License-Identifier: Apache-2.0
// The Session of one attempt: which evidence there is to read, and where it goes.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "controllers/evidence/agent_logs.h"
#include "controllers/evidence/event_reader.h"
#include "controllers/evidence/evidence_case.h"
#include "controllers/evidence/log_slots.h"
#include "controllers/evidence/node_boots.h"
#include "controllers/evidence/pod_log_reader.h"
#include "controllers/evidence/session.h"

namespace controllers {

// What all sessions of a process share. All references must outlive them.
struct EvidenceSources {
  kube::Client& client;
  kube::Informer& nodes;
  LogSlots& slots;
  AgentLogs& agents;
  EventReader& events;
  kube::MetricsRegistry& metrics;
  bool kubelet_logs = false;
  LogTiming timing;
  std::function<engine::Time()> now;
};

class WorkloadSession final : public Session {
 public:
  WorkloadSession(EvidenceSources sources, SessionSubject subject, SessionOptions options,
                  std::shared_ptr<const engine::Ruleset> ruleset, std::function<void()> changed);
  ~WorkloadSession() override;
  WorkloadSession(const WorkloadSession&) = delete;
  WorkloadSession& operator=(const WorkloadSession&) = delete;

  void Update(const engine::Workload& workload, const std::vector<kube::ObjectPtr>& pods,
              const std::vector<StatusLine>& workload_lines) override;
  void Seal() override;
  void CutShort(const std::string& why) override;
  bool Drained() const override;
  engine::Attribution Attribute(const engine::History& history) const override;
  Placement placement() const override;
  std::optional<engine::Time> first_failure() const override;
  std::string BootId(const std::string& node, engine::Source source,
                     engine::Time time) const override;

  // The Node has changed. Thread-safe.
  void NodeChanged(const kube::Json& node);

 private:
  class PodLog;
  class NodeLog;
  class KubeletLog;
  struct Run;  // one run of one container

  // All under the mutex.
  void UpdateWorkload(const engine::Workload& workload);
  void UpdatePod(const kube::ObjectPtr& pod);
  void UpdateRuns(const kube::Json& pod);
  void OpenLog(const kube::Json& pod, const Run& run);
  void PodGone(const std::string& uid);
  void FindFirstFailure(const std::vector<kube::ObjectPtr>& pods);
  void OpenNode(const std::string& node);
  void ReadNode(const kube::Json& node);
  void ReadEvents();
  void ReadNodeEvents();
  // A gap, once.
  void TellTooMany(const char* reason, const std::string& message);
  engine::Time NodeLogsSince() const;
  // A stream about a node: of no more trust than the asker may have.
  engine::Stream NodeStream(engine::Source source, const std::string& node) const;

  const EvidenceSources sources_;
  const SessionSubject subject_;
  const SessionOptions options_;
  const std::shared_ptr<EvidenceCase> case_;
  ByteBudget budget_;

  NodeBoots boots_;

  mutable std::mutex mutex_;
  engine::Workload workload_;                    // guarded by mutex_, as is all below
  std::map<std::string, kube::ObjectPtr> pods_;  // by UID; also those that are gone
  std::set<std::string> gone_;                   // UIDs
  std::optional<engine::Time> first_failure_;
  std::string first_failed_;                     // "pod UID/container"
  std::map<std::string, std::string> boot_ids_;  // by node, when its conditions were first read
  bool events_read_ = false;
  bool sealed_ = false;
  std::set<std::string> told_;                           // reasons of TellTooMany
  std::map<std::string, std::unique_ptr<PodLog>> logs_;  // by "pod UID/container/run"
  std::map<std::string, std::unique_ptr<NodeLog>> node_logs_;
  std::map<std::string, std::unique_ptr<KubeletLog>> kubelet_logs_;
};

}  // namespace controllers
