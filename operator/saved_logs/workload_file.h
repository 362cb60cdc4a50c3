// SPDX-License-Identifier: Apache-2.0
// What a person tells `analyze` about the workload that the logs are of.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/time.h"
#include "engine/workload.h"

namespace app {

// Reads `text` (YAML or JSON; at most 4 MiB) in any of three shapes:
// - a Job as kubectl prints it: status.startTime, completionTime, conditions
// - the REST API's attributor: workload.{name, job_start_time, job_end_time, interest_start_time,
//   interest_end_time, status, nodes}
// - the same fields without the envelope
// nullopt: `error` says what is wrong and where.
std::optional<engine::Workload> ParseWorkload(std::string_view text, std::string* error);

// "START/END", either of which may be missing ("2026-12-01T04:00:00Z/"); as ParseMoment.
std::optional<engine::Workload> ParseInterval(std::string_view text, engine::Time now,
                                              std::string* error);

// A point in time as people give it: RFC 3339; a date with or without a time of day, in UTC
// ("2026-12-01", "2026-12-01 04:00:05"); or how long ago ("90s", "30m", "2h", "3d").
std::optional<engine::Time> ParseMoment(std::string_view text, engine::Time now);

}  // namespace app
