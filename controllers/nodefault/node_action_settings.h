// SPDX-License-Identifier: Apache-2.0
// NodeActionPolicies as they are acted on: checked, ordered, and the one that counts for a node.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "controllers/policy/label_selector.h"
#include "engine/attribution.h"
#include "kube/cache.h"

namespace controllers {

// One NodeActionPolicy. A plain value.
struct NodeActionSettings {
  std::string name;
  std::int64_t precedence = 1000;
  LabelSelector node_selector;
  bool enforce = false;
  bool condition = false;
  bool taint = false;
  std::string taint_effect = "NoSchedule";
  engine::EvidenceLevel min_level = engine::EvidenceLevel::kEstablished;
  std::vector<std::string> symptoms;  // empty: all
  std::string max_unavailable = "0";  // "3" or "5%"
  std::int64_t max_per_hour = 0;
  std::chrono::seconds action_deadline{900};
};

// nullopt: the policy cannot be followed, `problem` names the field and says why.
std::optional<NodeActionSettings> ParseNodeActionPolicy(const kube::Json& policy,
                                                        std::string* problem);

// The choice for one node.
struct NodeActionChoice {
  std::optional<NodeActionSettings> settings;
  // Why there is none although policies exist. An invalid policy that would come first is never
  // skipped: it could have been the one that says DryRun.
  std::string problem;
};

// Lowest precedence first, then by name, as the first whose selector matches the node's labels.
NodeActionChoice ChooseNodeActionPolicy(const std::vector<kube::ObjectPtr>& policies,
                                        const kube::Json& node);

}  // namespace controllers
