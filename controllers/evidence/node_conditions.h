// SPDX-License-Identifier: Apache-2.0
// What the conditions in a Node's status say, as evidence.
#pragma once

#include <string>
#include <vector>

#include "controllers/evidence/pod_status.h"
#include "kube/object.h"

namespace controllers {

// All conditions, whoever writes them (kubelet, node-problem-detector, DCGM, cloud providers). Not
// our own: a verdict is no evidence for the next one.
std::vector<StatusLine> NodeConditionLines(const kube::Json& node);

// status.nodeInfo.bootID.
std::string BootIdOf(const kube::Json& node);

}  // namespace controllers
