// SPDX-License-Identifier: Apache-2.0
// The NodeActionPolicy resource: nodeactionpolicies.yaml beside this file is its schema, and says
// what each field means. The defaults here are the schema's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "crds/condition.h"
#include "crds/fields.h"
#include "crds/label_selector.h"

namespace crds {

struct NodeActionPolicySpec {
  std::int64_t precedence = 1000;
  LabelSelector node_selector;
  std::string mode = "DryRun";  // DryRun | Enforce
  std::vector<std::string> actions = {"Condition", "Taint"};
  std::string taint_effect = "NoSchedule";
  std::string min_evidence_level = "Established";
  std::vector<std::string> symptoms;
  Json max_unavailable = "5%";  // an integer or a percentage
  std::int64_t max_per_hour = 4;
  std::int64_t action_deadline_seconds = 900;
  std::int64_t probation_seconds = 3600;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("precedence", self.precedence);
    visit("nodeSelector", self.node_selector);
    visit("mode", self.mode);
    visit("actions", self.actions);
    visit("taintEffect", self.taint_effect);
    visit("minEvidenceLevel", self.min_evidence_level);
    visit("symptoms", self.symptoms);
    visit("maxUnavailable", self.max_unavailable);
    visit("maxPerHour", self.max_per_hour);
    visit("actionDeadlineSeconds", self.action_deadline_seconds);
    visit("probationSeconds", self.probation_seconds);
  }
};

struct NodeActionPolicyStatus {
  std::int64_t observed_generation = 0;
  std::vector<Condition> conditions;
  std::int64_t unavailable = 0;
  std::int64_t tainted = 0;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("observedGeneration", self.observed_generation);
    visit("conditions", self.conditions);
    visit("unavailable", self.unavailable);
    visit("tainted", self.tainted);
  }
};

struct NodeActionPolicy {
  NodeActionPolicySpec spec;
  NodeActionPolicyStatus status;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("spec", self.spec);
    visit("status", self.status);
  }
};

}  // namespace crds
