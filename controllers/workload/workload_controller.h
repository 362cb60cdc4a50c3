// SPDX-License-Identifier: Apache-2.0
// Watched workloads of one kind: each attempt in which something failed gets its Attribution.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "controllers/policy/policy_store.h"
#include "controllers/workload/workload_kind.h"
#include "kube/manager.h"
#include "kube/reconciler.h"

namespace controllers {

// All references must outlive it.
struct WorkloadInputs {
  kube::Client& client;
  kube::EventRecorder& events;
  kube::MetricsRegistry& metrics;
  kube::Informer& attributions;  // AttributionInformer
  // The policy in force for a workload; nullopt: nobody asked to watch it.
  std::function<std::optional<AppliedPolicy>(const WorkloadKind&, const kube::Json& workload)>
      policy_for;
};

// Creates the Attribution and says in its status that the operator made it (origin: Operator).
// Both can be repeated: the name says whose it is, and the origin is only claimed for an object
// that is exactly what the operator would have made, and by nobody else's word. Threads: as
// Reconciler.
class WorkloadReconciler final : public kube::Reconciler {
 public:
  WorkloadReconciler(WorkloadKind& kind, WorkloadInputs inputs);

  kube::Result Reconcile(const kube::Request& request, std::stop_token stop) override;

 private:
  // Creates it unless it exists; the object as the API server has it.
  kube::Json Ensure(const kube::Json& wanted, const kube::CallOptions& call);
  // False when the object is somebody else's.
  bool ClaimOrigin(const kube::Json& wanted, const kube::Json& live, const kube::CallOptions& call);
  void TellNameTaken(const kube::Json& workload, const kube::Json& taken);

  WorkloadKind& kind_;
  const WorkloadInputs in_;
};

// Adds the controller of one kind. `pods` is the informer that the kind uses. The result must be
// destroyed after the manager has stopped running and before the manager.
std::unique_ptr<kube::Reconciler> AddWorkloadController(kube::Manager& manager, WorkloadKind& kind,
                                                        kube::Informer& pods,
                                                        WorkloadInputs inputs);

}  // namespace controllers
