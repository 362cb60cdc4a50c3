// SPDX-License-Identifier: Apache-2.0
// The NodeFault resource: nodefaults.yaml beside this file is its schema, and says what each field
// means. Times are RFC 3339 strings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "crds/condition.h"

namespace crds {

struct FaultDevice {
  std::string type;
  std::string uuid;
  std::string pci_address;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("type", self.type);
    visit("uuid", self.uuid);
    visit("pciAddress", self.pci_address);
  }
};

struct Release {
  std::string reason;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("reason", self.reason);
  }
};

struct NodeFaultSpec {
  std::string node_name;
  std::string symptom;
  FaultDevice device;
  std::optional<Release> release;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("nodeName", self.node_name);
    visit("symptom", self.symptom);
    visit("device", self.device);
    visit("release", self.release);
  }
};

struct FaultAttribution {
  std::string name_space;
  std::string name;
  std::string uid;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("namespace", self.name_space);
    visit("name", self.name);
    visit("uid", self.uid);
  }
};

struct NodeFaultStatus {
  std::int64_t observed_generation = 0;
  std::vector<Condition> conditions;
  std::string evidence_level;
  std::string boot_id;
  std::string first_time;
  std::string last_time;
  std::int64_t count = 0;
  std::int64_t tenants = 0;
  std::vector<FaultAttribution> attributions;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("observedGeneration", self.observed_generation);
    visit("conditions", self.conditions);
    visit("evidenceLevel", self.evidence_level);
    visit("bootID", self.boot_id);
    visit("firstTime", self.first_time);
    visit("lastTime", self.last_time);
    visit("count", self.count);
    visit("tenants", self.tenants);
    visit("attributions", self.attributions);
  }
};

struct NodeFault {
  NodeFaultSpec spec;
  NodeFaultStatus status;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("spec", self.spec);
    visit("status", self.status);
  }
};

}  // namespace crds
