// SPDX-License-Identifier: Apache-2.0
// Logs to measure with: made up line by line, the same bytes each time.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bench {

// A training job's output in which nothing is wrong: progress lines, progress bars that overwrite
// themselves, NCCL INFO lines, a few warnings. At least `bytes` long, whole lines.
std::string NoiseLog(std::size_t bytes);

// Nothing but tracebacks: `frames` frames of two lines each, then one of `errors`, behind a time
// and a rank.
std::string ErrorLog(const std::vector<std::string>& errors, unsigned frames, std::size_t bytes);

// A node's kernel log as syslog writes it, with the usual messages of a healthy GPU node.
std::string KernelLog(std::size_t bytes);

}  // namespace bench
