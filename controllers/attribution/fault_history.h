// SPDX-License-Identifier: Apache-2.0
// What happened before and elsewhere, as the engine's explicit input. Only what a node itself
// proved counts: an Attribution made by the operator whose root came from the node, and NodeFaults.
// What a workload merely printed could otherwise shield a broken node, or accuse a healthy one.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/history.h"
#include "engine/time.h"
#include "kube/cache.h"

namespace controllers {

// Whether an Attribution's root counts as history.
bool IsProven(const kube::Json& attribution);

// `attributions` and `faults` in any order; those of `own_uid` (the Attribution being judged) are
// left out, so that judging it again after a restart gives the same answer. `tenant_of` gives an
// opaque token for a namespace. Older than `horizon` before `now` is left out.
engine::History HistoryOf(const std::vector<kube::ObjectPtr>& attributions,
                          const std::vector<kube::ObjectPtr>& faults, const std::string& own_uid,
                          const std::function<std::string(const std::string&)>& tenant_of,
                          engine::Time now, std::chrono::seconds horizon);

// Escalations look back a day; anything older is of no use to a rule.
inline constexpr std::chrono::hours kHistoryHorizon{24};

// What is done to nodes on purpose, as far as it shows in Node objects: boots (the bootID changed,
// or Ready turned True long after the node joined), driver upgrades and MIG changes (labels of
// NVIDIA's operators), maintenance (cordons; the operator itself never cordons). Forgets nodes of
// which nothing was seen for kHistoryHorizon, so that those that come and go don't pile up.
// Thread-safe.
class NodeActivityLog {
 public:
  // A node as it was and is; `before` is null for one that is seen for the first time.
  void Observe(const kube::Json* before, const kube::Json& after, engine::Time now);
  // Of the last `horizon`, by node and time.
  std::vector<engine::NodeActivity> Since(engine::Time from) const;

 private:
  void Add(engine::NodeActivity::Kind kind, const std::string& node, engine::Time time);
  void Forget(engine::Time now);

  mutable std::mutex mutex_;
  std::map<std::string, std::vector<engine::NodeActivity>> by_node_;  // newest last, few per node
};

}  // namespace controllers
