// SPDX-License-Identifier: Apache-2.0
// Kueue's Workloads (kueue.x-k8s.io/v1beta2).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "controllers/workload/workload_kind.h"

namespace controllers {

inline const kube::Resource kKueueWorkloads{"kueue.x-k8s.io", "v1beta2", "workloads", "Workload",
                                            true};

// The informer of Workloads that all kinds share; empty where Kueue is not installed. Before the
// cache starts.
kube::Informer& KueueWorkloadInformer(kube::Cache& cache,
                                      const std::vector<std::string>& namespaces);
inline constexpr char kWorkloadsByOwner[] = "owner";  // UIDs of all owners: Job, JobSet, ...

// An attempt is what runs under one admission. Its id is the number of evictions before it
// (status.schedulingStats): the time of the Admitted condition, which would be as good a name,
// becomes the time of the loss as soon as the quota is given back. `namespaces` empty: all. The
// cache must outlive the kind.
std::unique_ptr<WorkloadKind> NewKueueWorkloadKind(kube::Cache& cache,
                                                   const std::vector<std::string>& namespaces);

}  // namespace controllers
