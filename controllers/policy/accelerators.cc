// SPDX-License-Identifier: Apache-2.0
#include "controllers/policy/accelerators.h"

#include <algorithm>
#include <array>

namespace controllers {
namespace {

constexpr std::array<std::string_view, 7> kPrefixes = {
    "nvidia.com/",    "amd.com/gpu",           "gpu.intel.com/", "habana.ai/",
    "google.com/tpu", "aws.amazon.com/neuron", "furiosa.ai/"};

}  // namespace

bool IsAcceleratorResource(std::string_view name) {
  return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace controllers
