// SPDX-License-Identifier: Apache-2.0
// The subcommands of `attribution rules`, each in a file of its own.
#pragma once

#include "operator/commands/command.h"

namespace app {

// As in command.h; `rules` is the subcommand that they belong to.
void AddRulesBench(CLI::App& rules, Run& run);
void AddRulesExplain(CLI::App& rules, Run& run);
void AddRulesScore(CLI::App& rules, Run& run);
void AddRulesShow(CLI::App& rules, Run& run);

}  // namespace app
