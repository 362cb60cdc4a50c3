// SPDX-License-Identifier: Apache-2.0
// What the engine is told of a workload, read from its pods and their nodes. Pure.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/workload.h"
#include "kube/cache.h"

namespace controllers {

// Where an attempt's pods were. Grows while the attempt is watched: a pod that is gone was there
// all the same.
struct WorkloadNodes {
  std::set<std::string> nodes;
  // Nodes of which it held every accelerator at some time.
  std::set<std::string> exclusive;
  std::map<std::string, engine::Stay> stays;  // by the pod's UID
};

// Adds what `pods` show. `node_of` gives a Node by name, nullptr when it isn't known. Pods that did
// not run at the same time don't add up: a retry on the same node holds the GPUs that the failed
// pod gave back.
void AddPods(const std::vector<kube::ObjectPtr>& pods,
             const std::function<kube::ObjectPtr(const std::string&)>& node_of,
             WorkloadNodes& view);
// As the engine takes them.
std::vector<engine::Stay> StaysOf(const WorkloadNodes& view);

}  // namespace controllers
