// SPDX-License-Identifier: Apache-2.0
// What a node said before it was booted is of an earlier workload.
#pragma once

#include <optional>
#include <vector>

#include "engine/refine/finding.h"

namespace engine {

// The catalog's id of a boot: the first line of a kernel's log.
inline constexpr char kNodeBooted[] = "node-booted";

// Leaves out what a node's logs hold from before a boot of that node, if the workload's programs
// said their first word after that boot. For evidence whose window nobody knows; `first_words` is
// the earliest time in the programs' logs, nullopt if they have none. A boot after the first words
// may be what the failure led to, and leaves out nothing.
std::vector<Finding> AfterBoots(std::vector<Finding> findings, std::optional<Time> first_words);

}  // namespace engine
