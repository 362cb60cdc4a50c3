// SPDX-License-Identifier: Apache-2.0
// The AttributionPolicy resource: attributionpolicies.yaml beside this file is its schema, and says
// what each field means. The defaults here are the schema's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "crds/condition.h"
#include "crds/label_selector.h"

namespace crds {

struct PolicyMatch {
  LabelSelector namespace_selector;
  LabelSelector object_selector;
  std::vector<std::string> kinds;      // empty: all
  std::vector<std::string> resources;  // empty: whatever is requested

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("namespaceSelector", self.namespace_selector);
    visit("objectSelector", self.object_selector);
    visit("kinds", self.kinds);
    visit("resources", self.resources);
  }
};

struct PolicyEvidence {
  std::vector<std::string> node_logs = {"Agent"};  // Agent | KubeletLogs
  std::string max_bytes_per_container = "16Mi";    // a quantity
  std::string max_bytes_per_workload = "4Gi";      // a quantity
  std::int64_t settle_seconds = 30;
  std::vector<std::string> redact;  // RE2

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("nodeLogs", self.node_logs);
    visit("maxBytesPerContainer", self.max_bytes_per_container);
    visit("maxBytesPerWorkload", self.max_bytes_per_workload);
    visit("settleSeconds", self.settle_seconds);
    visit("redact", self.redact);
  }
};

struct PolicyRetention {
  std::int64_t max_age_seconds = 2592000;
  std::int64_t max_per_namespace = 500;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("maxAgeSeconds", self.max_age_seconds);
    visit("maxPerNamespace", self.max_per_namespace);
  }
};

struct AttributionPolicySpec {
  std::int64_t precedence = 1000;
  PolicyMatch match;
  std::vector<std::string> triggers = {"WorkloadFailed", "PodFailed", "Evicted"};
  std::vector<std::string> rulesets = {"builtin"};
  PolicyEvidence evidence;
  std::string tenant_namespace_label;
  std::string node_faults = "Allowed";  // Allowed | Forbidden
  PolicyRetention retention;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("precedence", self.precedence);
    visit("match", self.match);
    visit("triggers", self.triggers);
    visit("rulesets", self.rulesets);
    visit("evidence", self.evidence);
    visit("tenantNamespaceLabel", self.tenant_namespace_label);
    visit("nodeFaults", self.node_faults);
    visit("retention", self.retention);
  }
};

struct AttributionPolicyStatus {
  std::int64_t observed_generation = 0;
  std::vector<Condition> conditions;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("observedGeneration", self.observed_generation);
    visit("conditions", self.conditions);
  }
};

struct AttributionPolicy {
  AttributionPolicySpec spec;
  AttributionPolicyStatus status;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("spec", self.spec);
    visit("status", self.status);
  }
};

}  // namespace crds
