// SPDX-License-Identifier: Apache-2.0
// A date somewhere in a log.
#pragma once

#include <optional>
#include <string_view>

#include "engine/time.h"

namespace app {

// The latest of the dates with a year and a time of day in `text` ("2026-12-01 04:00:05", with T or
// '_' as well; "Tue Dec  1 04:00:05 2026"), taken for UTC. Tells which year the logs beside it mean
// that name none; for that it need not be exact. nullopt: there is none.
std::optional<engine::Time> LatestDateIn(std::string_view text);

}  // namespace app
