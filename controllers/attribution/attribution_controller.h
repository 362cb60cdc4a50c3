// SPDX-License-Identifier: Apache-2.0
// Attributions: evidence is gathered, judged, written, settled, kept and at last removed.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "controllers/attribution/attribution_settings.h"
#include "controllers/attribution/fault_history.h"
#include "controllers/evidence/session.h"
#include "controllers/policy/policy_store.h"
#include "controllers/ruleset/ruleset_store.h"
#include "controllers/workload/workload_kind.h"
#include "engine/time.h"
#include "kube/cache.h"
#include "kube/client.h"
#include "kube/events.h"
#include "kube/manager.h"
#include "kube/metrics.h"
#include "kube/reconciler.h"

namespace controllers {

struct AttributionOptions {
  std::vector<WorkloadKind*> kinds;
  // The policy in force for a workload; nullopt: nobody asked to watch it.
  std::function<std::optional<AppliedPolicy>(const WorkloadKind&, const kube::Json& workload)>
      policy_for;
  std::function<engine::Time()> now;
  // How long the operator has to say that it made an Attribution, before it counts as a request.
  std::chrono::milliseconds origin_wait{3000};
  // How long reads may go on after the workload has ended.
  std::chrono::seconds drain_limit{120};
};

// What the reconciler works with; all must outlive it.
struct AttributionInputs {
  kube::Client& client;
  kube::EventRecorder& events;
  kube::MetricsRegistry& metrics;
  kube::Informer& attributions;  // AttributionInformer
  kube::Informer& faults;        // NodeFaultInformer
  kube::Informer& nodes;
  kube::Informer* namespaces;  // null where they may not be read: each is its own tenant then
  RulesetStore& rulesets;
  PolicyStore& policies;
  Collector& collector;
};

// The way of an Attribution:
//   origin known -> session started -> workload ended, evidence read -> verdict written (Settling)
//   -> nothing changed for settleSeconds -> NodeFault recorded -> Settled -> removed by retention.
// Conditions: Ready (Waiting, Collecting, Settling, Settled; or why it is Stalled), Reconciling,
// Stalled, EvidenceComplete. All state that matters is in the status: a restart starts a new
// session, and what is written stays if the new one knows less (MayReplace). Late evidence within
// settleSeconds after settling makes it settle again with a higher revision.
class AttributionReconciler final : public kube::Reconciler {
 public:
  AttributionReconciler(AttributionInputs inputs, AttributionOptions options);
  ~AttributionReconciler() override;

  // Where a session announces that it has something new. Set before the first Reconcile.
  void SetNotify(std::function<void(const kube::Request&)> notify);
  // Fed by the informer of Nodes.
  NodeActivityLog& activities() { return activities_; }
  const std::function<engine::Time()>& clock() const { return options_.now; }

  kube::Result Reconcile(const kube::Request& request, std::stop_token stop) override;

 private:
  struct Active;  // an Attribution with a session
  struct Target;  // its workload, as the cache has it
  struct Pass;    // one Reconcile

  std::shared_ptr<Active> FindActive(const kube::Request& request, const std::string& uid);
  std::shared_ptr<Active> Peek(const kube::Request& request) const;
  void Drop(const kube::Request& request);

  kube::Result Run(Pass& pass);
  // How much longer to wait for the origin to be written; nullopt: it is decided.
  std::optional<std::chrono::milliseconds> DecideOrigin(Pass& pass);
  Target FindTarget(const kube::Json& attribution) const;
  // A verdict on a workload of which nothing is left.
  kube::Result JudgeAbsent(Pass& pass, const Target& target);
  // Requests may be made in any number, and of workloads that never end.
  bool HasRoomForRequest() const;
  // Null with pass.result set when it has to wait for a ruleset that is being looked at.
  void Start(Pass& pass, const Target& target);
  void Feed(Pass& pass, const Target& target);
  kube::Result Collect(Pass& pass);
  kube::Result Judge(Pass& pass);
  kube::Result Settle(Pass& pass, kube::Json status);
  kube::Result AfterSettled(Pass& pass);
  kube::Result Stall(Pass& pass, const std::string& reason, const std::string& message);

  engine::History ReadHistory(const Pass& pass) const;
  std::string TenantOf(const std::string& name_space, const std::string& label) const;
  // The NodeFault that the status calls for, recorded; empty when it calls for none.
  // What the session says, and which rules it did without.
  engine::Attribution Answer(const Pass& pass) const;
  std::string RecordFault(const Pass& pass, const kube::Json& status);
  void WriteLabel(Pass& pass, const kube::Json& status);
  void WriteStatus(Pass& pass, kube::Json status);
  // After a write that replaced `version_before`.
  static void Remember(Pass& pass, const std::string& version_before);
  void Announce(const Pass& pass, const kube::Json& verdict);
  void ObserveLatency(const Pass& pass);
  AttributionSettings SettingsFor(const kube::Json& attribution) const;
  std::optional<std::chrono::milliseconds> Retain(const Pass& pass);

  const AttributionInputs in_;
  const AttributionOptions options_;
  const engine::Time started_;
  std::function<void(const kube::Request&)> notify_;
  NodeActivityLog activities_;
  mutable std::mutex mutex_;
  std::map<kube::Request, std::shared_ptr<Active>> active_;  // guarded by mutex_
};

// Adds the controller. `pods` is the informer that the workload kinds use. The result must be
// destroyed after the manager has stopped running and before the manager and the collector.
std::unique_ptr<kube::Reconciler> AddAttributionController(kube::Manager& manager,
                                                           kube::Informer& pods,
                                                           AttributionInputs inputs,
                                                           AttributionOptions options);

}  // namespace controllers
