// SPDX-License-Identifier: Apache-2.0
// AttributionRuleset objects: checked, put in force without a restart, and the last good one kept
// where a restart finds it again.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "controllers/ruleset/ruleset_check.h"
#include "controllers/ruleset/ruleset_store.h"
#include "engine/time.h"
#include "kube/cache.h"
#include "kube/client.h"
#include "kube/events.h"
#include "kube/manager.h"
#include "kube/metrics.h"
#include "kube/reconciler.h"

namespace controllers {

struct RulesetOptions {
  std::string operator_namespace;  // where the ControllerRevisions of accepted rulesets are kept
  std::function<engine::Time()> now;
};

// Writes: the ruleset's status, Events on it, ControllerRevisions in the operator's namespace (the
// last two of each ruleset; owned by it, so they go with it). One worker.
class RulesetReconciler final : public kube::Reconciler {
 public:
  // All references must outlive the reconciler.
  RulesetReconciler(kube::Client& client, kube::Informer& rulesets, RulesetStore& store,
                    kube::EventRecorder& events, kube::MetricsRegistry& metrics,
                    RulesetOptions options);

  kube::Result Reconcile(const kube::Request& request, std::stop_token stop) override;

 private:
  // A generation that is in force, and the ControllerRevision that keeps it (empty: not kept).
  struct InForce {
    std::int64_t generation = 0;
    std::string digest;
    std::string revision;
  };
  struct Known {
    std::string uid;
    std::int64_t checked_generation = 0;
    std::optional<InForce> in_force;
  };

  void Accept(const kube::Json& ruleset, const RulesetCheck& check, Known& known);
  void Refuse(const kube::Json& ruleset, const RulesetCheck& check, Known& known);
  std::string KeepRevision(const kube::Json& ruleset);
  void PruneRevisions(const kube::Json& ruleset);
  // The newest kept revision that still loads; it is put in force.
  std::optional<InForce> RestoreLastGood(const kube::Json& ruleset);
  void WriteStatus(const kube::Json& ruleset, const RulesetCheck& check, const Known& known);

  kube::Client& client_;
  kube::Informer& rulesets_;
  RulesetStore& store_;
  kube::EventRecorder& events_;
  kube::MetricsRegistry& metrics_;
  const RulesetOptions options_;
  std::map<std::string, Known> known_;
};

// The result must live until the manager has stopped running.
std::unique_ptr<kube::Reconciler> AddRulesetController(kube::Manager& manager, RulesetStore& store,
                                                       RulesetOptions options);

// The informer of AttributionRulesets that all controllers share.
kube::Informer& RulesetInformer(kube::Cache& cache);

}  // namespace controllers
