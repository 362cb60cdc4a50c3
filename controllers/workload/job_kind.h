// SPDX-License-Identifier: Apache-2.0
// Jobs (batch/v1).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "controllers/workload/workload_kind.h"

namespace controllers {

inline const kube::Resource kJobs{"batch", "v1", "jobs", "Job", true};

// The informer of Jobs that all kinds share, without what is not read. Before the cache starts.
kube::Informer& JobInformer(kube::Cache& cache, const std::vector<std::string>& namespaces);
inline constexpr char kJobsByController[] = "controller";  // UID of the controlling owner

// An attempt is what runs under one status.startTime: a suspended Job that is resumed gets a new
// one. Pods that are replaced within backoffLimit belong to the same attempt, and a Job that gets
// through in the end has Succeeded. `namespaces` empty: all. The cache must outlive the kind.
std::unique_ptr<WorkloadKind> NewJobKind(kube::Cache& cache,
                                         const std::vector<std::string>& namespaces);

// A Job whose pods another controller runs elsewhere (spec.managedBy).
bool IsManagedElsewhere(const kube::Json& job);

// The Job's conditions as Scheduler lines.
std::vector<StatusLine> JobStatusLines(const kube::Json& job);

}  // namespace controllers
