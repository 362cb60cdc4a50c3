// SPDX-License-Identifier: Apache-2.0
// Saved logs through the engine.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/attribution.h"
#include "engine/ruleset.h"
#include "engine/source.h"
#include "engine/workload.h"
#include "operator/saved_logs/log_list.h"

namespace app {

// A log as it was read.
struct ReadLog {
  std::string path;
  engine::Source source = engine::Source::kAppLog;  // what it counted as
  std::string node;
  std::optional<int> rank;
  std::int64_t bytes = 0;  // decompressed
  std::string problem;     // empty: read to its end
  bool skipped = false;    // no text, or not readable: nothing of it was used
};

struct SavedLogsVerdict {
  engine::Attribution attribution;
  std::vector<ReadLog> logs;  // in the order of the list
};

// How far the reading is. May be read from any thread meanwhile.
struct ReadingProgress {
  std::atomic<std::int64_t> logs{0};
  std::atomic<std::int64_t> logs_done{0};
  std::atomic<std::int64_t> bytes{0};  // decompressed
};

// Reads all logs, as many at a time as there are processors, and attributes. A log counts as
// complete; one that ends too early as partial, with a gap that says why. In a Syslog log the lines
// with the kernel's tag count as Kernel (a person vouches for the file). The result does not
// depend on which log is read first. Holds a bounded part of the logs in memory.
SavedLogsVerdict AnalyzeSavedLogs(std::shared_ptr<const engine::Ruleset> ruleset,
                                  const engine::Workload& workload,
                                  const std::vector<SavedLog>& logs,
                                  ReadingProgress* progress = nullptr);

}  // namespace app
