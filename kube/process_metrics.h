// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace kube {

// process_{resident_memory_bytes,cpu_seconds_total,threads,open_fds} of this
// process in Prometheus' text format, read from /proc; what cannot be read is left out.
std::string ProcessMetrics();

}  // namespace kube
