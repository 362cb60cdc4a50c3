// SPDX-License-Identifier: Apache-2.0
// The pods that all controllers share: one informer, holding of each pod only what is read.
#pragma once

#include <string>
#include <vector>

#include "kube/cache.h"

namespace controllers {

inline const kube::Resource kPods{"", "v1", "pods", "Pod", true};

// Kueue writes into the pods of a Workload which one they belong to.
inline constexpr char kKueueWorkloadAnnotation[] = "kueue.x-k8s.io/workload";

// Metadata with labels and owners; spec: nodeName, containers with their resources, claims;
// status: phase, reason, message, startTime, conditions that tell of a trouble, container statuses.
kube::Json ProjectPod(const kube::Json& pod);

// Call before the cache starts; the same namespaces give the same informer.
kube::Informer& PodInformer(kube::Cache& cache, const std::vector<std::string>& namespaces);
inline constexpr char kPodsByController[] = "controller";  // UID of the controlling owner
inline constexpr char kPodsByKueueWorkload[] = "kueue";    // "namespace/name"

}  // namespace controllers
