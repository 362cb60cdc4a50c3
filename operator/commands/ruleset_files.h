// SPDX-License-Identifier: Apache-2.0
// Rulesets named on a command line.
#pragma once

#include <string>
#include <vector>

#include "engine/ruleset.h"
#include "engine/source.h"
#include "operator/commands/command.h"

namespace app {

// Reads the files ("-": standard input), each as one document named after its path. False: `error`
// names the file and what is wrong.
bool ReadRulesetFiles(const std::vector<std::string>& paths,
                      std::vector<engine::RulesetDocument>* documents, std::string* error);

// "FILE:LINE:COLUMN: error: PATH (RULE): MESSAGE", as compilers write it. No line break.
std::string ProblemText(const engine::RulesetProblem& problem, std::string_view severity);

// The built-in rules, then those of the files in their order. Null: what is wrong has been written
// to the standard error.
// `alone`: without the built-in rules.
std::shared_ptr<const engine::Ruleset> LoadRulesets(const std::vector<std::string>& paths,
                                                    bool alone = false);

// The options of the commands that take ruleset files; both outlive `command`.
void AddRulesetFiles(CLI::App* command, std::vector<std::string>& files, bool& alone);

// What --source says. False: it is no source, and that has been written to the standard error.
bool ReadSourceOption(const std::string& text, engine::Source* source);

}  // namespace app
