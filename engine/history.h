// SPDX-License-Identifier: Apache-2.0
// What happened before and elsewhere: an explicit input, so that a verdict stays a function of its
// inputs.
#pragma once

#include <string>
#include <vector>

#include "engine/time.h"

namespace engine {

// An earlier symptom of some device, of this or another workload.
struct PastSymptom {
  std::string symptom;  // catalog id
  std::string node;
  std::string gpu_uuid;     // empty: unknown or not a GPU's
  std::string pci_address;  // empty: unknown or not a GPU's
  std::string pool;         // what "Pool" scope compares; empty: the whole cluster is one pool
  std::string tenant;       // an opaque token per tenant, for distinct: Tenant
  Time time;
};

// Something done to a node on purpose that makes its symptoms in that time no fault of its own.
struct NodeActivity {
  enum class Kind { kBoot, kDriverUpgrade, kMigChange, kMaintenance };
  Kind kind = Kind::kBoot;
  std::string node;
  Time time;
};

struct History {
  std::vector<PastSymptom> symptoms;
  std::vector<NodeActivity> activities;
};

}  // namespace engine
