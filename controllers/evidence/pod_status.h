// SPDX-License-Identifier: Apache-2.0
// What the status of a pod says, as evidence.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "controllers/evidence/lines.h"
#include "kube/object.h"

namespace controllers {

// Of the pod's phase and conditions and of its containers' current and last states. What a state
// says stays the same while it lasts, so that a line that is known already can be told by its text.
std::vector<StatusLine> PodStatusLines(const kube::Json& pod);

// The rank of the pod among those of its workload, by the labels of Indexed Jobs and
// Kubeflow's training jobs.
std::optional<int> RankOf(const kube::Json& pod);

}  // namespace controllers
