// SPDX-License-Identifier: Apache-2.0
// From NodeFaults to the node: condition, taint, events, release.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "controllers/nodefault/node_action.h"
#include "controllers/nodefault/node_action_settings.h"
#include "engine/time.h"
#include "kube/cache.h"
#include "kube/client.h"
#include "kube/events.h"
#include "kube/manager.h"
#include "kube/metrics.h"
#include "kube/reconciler.h"

namespace controllers {

struct NodeFaultOptions {
  std::function<engine::Time()> now;
  // Without it every decision is made and told, and nothing is written to nodes.
  bool may_act = true;
};

// One request is one node (its name), because several faults share its taint; one worker, because
// the budgets are the pool's. Node, faults and pool are read live before anything is decided; the
// patch of the node carries the resourceVersion that the decision saw.
//
// Writes: status.{conditions,observedGeneration} of NodeFaults; of nodes our taint, the annotation
// that says which faults it is for (in the same patch, so that a crash leaves no doubt whose it is)
// and the condition AttributionHardwareFault; Events on both. Clears by spec.release, and by a
// taint that somebody else removed. A new device or a reboot with a probation don't clear.
class NodeFaultReconciler final : public kube::Reconciler {
 public:
  // All references must outlive the reconciler. Policies come from the informer; what is acted on
  // comes from the client.
  NodeFaultReconciler(kube::Client& client, kube::Informer& policies, kube::EventRecorder& events,
                      kube::MetricsRegistry& metrics, NodeFaultOptions options);

  kube::Result Reconcile(const kube::Request& request, std::stop_token stop) override;

 private:
  // What is read before deciding.
  struct World;
  // A fault of the node and what is to be done about it.
  struct Judged {
    kube::Json fault;
    NodeActionFacts facts;
    NodeActionDecision decision;
    bool recorded = false;  // in its status, in this pass
  };

  World Read(const std::string& node_name, const kube::CallOptions& call);
  void ReadPool(World& world, const kube::CallOptions& call);
  NodeActionFacts FactsOf(const kube::Json& fault, World& world, const kube::CallOptions& call);
  NodeActionFacts::Report ReportOf(const kube::Json& fault, const kube::CallOptions& call);
  // Brings taint and annotation, then the condition, to what the decisions want. False when a right
  // is missing: the decisions then say so.
  bool WriteNode(const World& world, std::vector<Judged>& judged, const kube::CallOptions& call);
  void WriteTaint(const World& world, const std::vector<Judged>& judged,
                  const kube::CallOptions& call);
  void WriteCondition(const World& world, const std::vector<Judged>& judged,
                      const kube::CallOptions& call);
  void WriteFaultStatus(const World& world, Judged& judged, const kube::CallOptions& call);
  void Announce(const World& world, const Judged& judged);

  kube::Client& client_;
  kube::Informer& policies_;
  kube::EventRecorder& events_;
  kube::MetricsRegistry& metrics_;
  const NodeFaultOptions options_;
};

// Adds the controller. `nodes` is the informer of Nodes that the process shares. The result must
// live until the manager has stopped running.
std::unique_ptr<kube::Reconciler> AddNodeFaultController(kube::Manager& manager,
                                                         kube::Informer& nodes,
                                                         kube::Informer& attributions,
                                                         NodeFaultOptions options);

// The informer of NodeFaults that all controllers share, with the index kFaultsByNode. The first
// call must come before the cache starts.
kube::Informer& NodeFaultInformer(kube::Cache& cache);
inline constexpr char kFaultsByNode[] = "node";  // spec.nodeName

}  // namespace controllers
