// SPDX-License-Identifier: Apache-2.0
// The status of NodeActionPolicies: whether they can be followed, and how their pool stands.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/time.h"
#include "kube/cache.h"
#include "kube/client.h"
#include "kube/manager.h"
#include "kube/reconciler.h"

namespace controllers {

struct NodeActionPolicyOptions {
  // The symptoms among those given that no ruleset in force knows.
  std::function<std::vector<std::string>(const std::vector<std::string>&)> unknown_symptoms;
  std::function<engine::Time()> now;
};

// Reads the caches only; writes the policy's status when something of it changed.
class NodeActionPolicyReconciler final : public kube::Reconciler {
 public:
  NodeActionPolicyReconciler(kube::Client& client, kube::Informer& policies, kube::Informer& nodes,
                             NodeActionPolicyOptions options);

  kube::Result Reconcile(const kube::Request& request, std::stop_token stop) override;

 private:
  kube::Client& client_;
  kube::Informer& policies_;
  kube::Informer& nodes_;
  const NodeActionPolicyOptions options_;
};

// The result must live until the manager has stopped running.
std::unique_ptr<kube::Reconciler> AddNodeActionPolicyController(kube::Manager& manager,
                                                                kube::Informer& nodes,
                                                                NodeActionPolicyOptions options);

// The informer of NodeActionPolicies that all controllers share.
kube::Informer& NodeActionPolicyInformer(kube::Cache& cache);

}  // namespace controllers
