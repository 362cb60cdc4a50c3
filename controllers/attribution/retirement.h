// SPDX-License-Identifier: Apache-2.0
// Settled Attributions that have been kept long enough are removed.
#pragma once

#include <chrono>

#include "controllers/attribution/attribution_settings.h"
#include "engine/time.h"
#include "kube/cache.h"
#include "kube/client.h"
#include "kube/metrics.h"
#include "kube/object.h"

namespace controllers {

// `attributions` is AttributionInformer.
struct RetirementInputs {
  kube::Client& client;
  kube::Informer& attributions;
  kube::MetricsRegistry& metrics;
};

// When an Attribution's object was made; `otherwise` if it doesn't say.
engine::Time CreatedAt(const kube::Json& object, engine::Time otherwise);

// Removes a few of those that are due among the settled ones of the attribution's namespace and
// policy; returns when to look again. Throws kube::ApiError.
std::chrono::milliseconds RetireOld(const RetirementInputs& in, const kube::Json& attribution,
                                    const AttributionSettings& settings, engine::Time now,
                                    const kube::CallOptions& call);

}  // namespace controllers
