// SPDX-License-Identifier: Apache-2.0
// `attribution rules score FOLDER`: how right the rules are about labelled cases.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "operator/commands/rules_commands.h"
#include "operator/commands/ruleset_files.h"
#include "operator/labelled_cases/labelled_case.h"
#include "operator/labelled_cases/score.h"
#include "operator/labelled_cases/score_report.h"

namespace app {
namespace {

struct Arguments {
  std::string folder;
  std::vector<std::string> rulesets;
  std::vector<int> folds;
  std::string output = "text";
};

int ScoreRules(const Arguments& arguments) {
  std::vector<engine::RulesetProblem> problems;
  auto cases = ReadLabelledCases(arguments.folder, &problems);
  for (const engine::RulesetProblem& problem : problems) {
    fmt::print(stderr, "{}\n", ProblemText(problem, "error"));
  }
  if (!cases) return kExitBadInput;
  const auto ruleset = LoadRulesets(arguments.rulesets);
  if (ruleset == nullptr) return kExitBadInput;
  std::vector<ScoredCase> scored;
  for (LabelledCase& one : *cases) {
    if (!arguments.folds.empty() && std::find(arguments.folds.begin(), arguments.folds.end(),
                                              FoldOf(one.id)) == arguments.folds.end()) {
      continue;
    }
    scored.push_back(ScoreCase(ruleset, std::move(one)));
  }
  if (arguments.output == "json") {
    fmt::print("{}\n",
               ScoreJson(scored).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    fmt::print("{}", ScoreText(scored));
  }
  return kExitDone;
}

}  // namespace

void AddRulesScore(CLI::App& rules, Run& run) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      rules.add_subcommand("score", "How right the rules are about a folder of labelled cases");
  command->add_option("folder", arguments->folder, "Cases as YAML, or one such file")->required();
  command->add_option("--ruleset", arguments->rulesets,
                      "A ruleset file that is merged over the built-in rules; may be repeated");
  command
      ->add_option("--fold", arguments->folds,
                   "Only the cases of this fold (0 to 3, by a hash of the id); may be repeated")
      ->check(CLI::Range(0, kFolds - 1));
  command->add_option("-o,--output", arguments->output, "text or json")
      ->check(CLI::IsMember({"text", "json"}));
  command->callback([arguments, &run] { run = [arguments] { return ScoreRules(*arguments); }; });
}

}  // namespace app
