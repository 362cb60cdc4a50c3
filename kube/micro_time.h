// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

namespace kube {

// metav1.MicroTime: "2026-12-01T04:00:00.000001Z".
std::string MicroTime(std::chrono::system_clock::time_point time);

}  // namespace kube
