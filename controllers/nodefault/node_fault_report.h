// SPDX-License-Identifier: Apache-2.0
// From a settled verdict to its NodeFault: one object per node, device and symptom, which later
// verdicts about the same add to.
#pragma once

#include <functional>
#include <string>

#include "engine/attribution.h"
#include "engine/time.h"
#include "kube/client.h"

namespace controllers {

// What one verdict says of a node. Only made of verdicts with node_fault set, of origin Operator.
struct FaultReport {
  std::string node;
  std::string symptom;
  std::string device_type;  // "GPU", "Node", ...: the catalog's scope of the symptom
  std::string gpu_uuid;     // empty: unknown, or no GPU's
  std::string pci_address;
  engine::EvidenceLevel level = engine::EvidenceLevel::kEstablished;
  std::string boot_id;  // empty: unknown, which is never acted on
  engine::Time time;    // of the record that proves it

  // The Attribution that says so.
  std::string name_space;
  std::string name;
  std::string uid;
};

// "<node>-<hash(symptom, device)>": the same for the same fault, whoever reports it when.
std::string NodeFaultName(const FaultReport& report);

// The status after `report`, given the fault as it is (status may be missing); null when the fault
// already holds this Attribution. `tenant_of` names the tenant of a namespace; the count of tenants
// never falls, and is a lower bound once more Attributions than the status keeps have reported.
kube::Json StatusAfter(const kube::Json& fault, const FaultReport& report,
                       const std::function<std::string(const std::string&)>& tenant_of);

// Creates or updates the NodeFault; does nothing when it already holds this Attribution, so it may
// be called again after a crash. Returns its name; empty when an object of that name is about
// something else, which is left alone. Throws ApiError.
std::string ReportNodeFault(kube::Client& client, const FaultReport& report,
                            const std::function<std::string(const std::string&)>& tenant_of);

}  // namespace controllers
