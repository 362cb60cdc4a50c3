// SPDX-License-Identifier: Apache-2.0
// A verdict is told: an Event of the workload, so that `kubectl describe` of it shows the verdict,
// and the count by result; and the rights that the operator lacked, as Events of the Attribution.
#pragma once

#include "kube/events.h"
#include "kube/metrics.h"
#include "kube/object.h"

namespace controllers {

// `verdict` is a status.verdict of `attribution`, whose status.gaps are told where their reason is
// Forbidden: one Event a source, with the verb and the resource. Never blocks.
void AnnounceVerdict(kube::EventRecorder& events, kube::MetricsRegistry& metrics,
                     const kube::Json& attribution, const kube::Json& verdict);

}  // namespace controllers
