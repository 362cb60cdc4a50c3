// SPDX-License-Identifier: Apache-2.0
// What the pods of a workload say of its attempt.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "controllers/workload/workload_kind.h"
#include "kube/cache.h"

namespace controllers {

// The pods that were made since the attempt began. An empty time keeps all.
std::vector<kube::ObjectPtr> SinceStart(std::vector<kube::ObjectPtr> pods,
                                        const std::string& start_time);

// kPodFailed if a pod or container failed by itself, else kEvicted if one was taken away.
std::optional<Trigger> TriggerOf(const std::vector<kube::ObjectPtr>& pods);

}  // namespace controllers
