// SPDX-License-Identifier: Apache-2.0
// A verdict is told: an Event of the workload, so that `kubectl describe` of it shows the verdict,
// and the count by result.
#pragma once

#include "kube/events.h"
#include "kube/metrics.h"
#include "kube/object.h"

namespace controllers {

// `verdict` is a status.verdict of `attribution`. Never blocks.
void AnnounceVerdict(kube::EventRecorder& events, kube::MetricsRegistry& metrics,
                     const kube::Json& attribution, const kube::Json& verdict);

}  // namespace controllers
