// SPDX-License-Identifier: Apache-2.0
// Which resources are accelerators: what the built-in policy watches, and what makes a node one of
// a GPU pool.
#pragma once

#include <string_view>

namespace controllers {

// What PolicySubject.resources holds for a pod with DRA claims (spec.resourceClaims); in
// AttributionPolicy.spec.match.resources it means the same.
inline constexpr std::string_view kResourceClaims = "resourceclaims";

// Extended resources of NVIDIA (MIG slices too), AMD, Intel, Habana, Google TPU, AWS Neuron,
// Furiosa.
bool IsAcceleratorResource(std::string_view name);

}  // namespace controllers
