// SPDX-License-Identifier: Apache-2.0
// Which saved logs to read, and as what.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/source.h"

namespace app {

// One log to read. A plain value.
struct SavedLog {
  std::string path;                      // "-": the standard input
  std::optional<engine::Source> source;  // unset: the content decides
  std::string node;                      // empty: unknown, or named by the lines themselves
  std::optional<int> rank;
  bool asked_for = false;  // named by the user, not found in a folder
};

// What the user says of all logs; wins over what their names say.
struct LogHints {
  std::optional<engine::Source> source;
  std::string node;
};

// Files as they are, folders with all files below them in the order of their names (hidden ones,
// links to folders and everything that is no plain file left out). Each path once. Names are read
// by the rule of saved_logs/log_name.h. nullopt: `error` names the path and says what is wrong.
std::optional<std::vector<SavedLog>> ListSavedLogs(const std::vector<std::string>& paths,
                                                   const LogHints& hints, std::string* error);

}  // namespace app
