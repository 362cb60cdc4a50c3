// SPDX-License-Identifier: Apache-2.0
// The subcommands of `attribution`: each in a file of its own, added to the command line here.
#pragma once

#include <functional>

namespace CLI {  // NOLINT(readability-identifier-naming): the name is the library's
class App;
}

namespace app {

// Exit statuses that scripts can rely on.
inline constexpr int kExitDone = 0;
inline constexpr int kExitFailed = 1;    // it could not be done (no cluster, a broken ruleset)
inline constexpr int kExitBadInput = 2;  // arguments or files are wrong
inline constexpr int kExitUnknown = 3;   // analyze, explain: the verdict is Unknown

// What the chosen subcommand does, run once the whole command line has been read.
using Run = std::function<int()>;

// Adds a subcommand; `run` is set when it is chosen. `run` outlives `app`'s parsing.
void AddAnalyze(CLI::App& app, Run& run);
void AddRules(CLI::App& app, Run& run);
void AddOperator(CLI::App& app, Run& run);
void AddNodeAgent(CLI::App& app, Run& run);
void AddExplain(CLI::App& app, Run& run);

}  // namespace app
