// SPDX-License-Identifier: Apache-2.0
// AttributionPolicies: checked, and put in force.
#pragma once

#include <functional>
#include <memory>

#include "controllers/policy/policy_store.h"
#include "engine/time.h"
#include "kube/cache.h"
#include "kube/client.h"
#include "kube/events.h"
#include "kube/manager.h"
#include "kube/reconciler.h"

namespace controllers {

// Keeps `store` as `policies` has them. Its handlers have heard of all policies before a controller
// starts, so that no workload is judged by less than all. Call before the cache starts; the store
// must outlive the cache's run.
void FollowPolicies(kube::Informer& policies, PolicyStore& store);

// Writes the policy's status and an Event when it cannot be followed; what holds then is said at
// PolicyStore::PutBroken.
class PolicyReconciler final : public kube::Reconciler {
 public:
  // All references must outlive it.
  PolicyReconciler(kube::Client& client, kube::Informer& policies, kube::EventRecorder& events,
                   std::function<engine::Time()> now);

  kube::Result Reconcile(const kube::Request& request, std::stop_token stop) override;

 private:
  kube::Client& client_;
  kube::Informer& policies_;
  kube::EventRecorder& events_;
  const std::function<engine::Time()> now_;
};

// The result must live until the manager has stopped running.
std::unique_ptr<kube::Reconciler> AddPolicyController(kube::Manager& manager, PolicyStore& store,
                                                      std::function<engine::Time()> now);

}  // namespace controllers
