// SPDX-License-Identifier: Apache-2.0
// `attribution rules score FOLDER`: how right the rules are about labelled cases.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "operator/commands/rules_commands.h"
#include "operator/commands/ruleset_files.h"
#include "operator/labelled_cases/labelled_case.h"
#include "operator/labelled_cases/score.h"
#include "operator/labelled_cases/score_report.h"
#include "operator/labelled_cases/thresholds.h"
#include "operator/text_file.h"
#include "operator/visible_text.h"

namespace app {
namespace {

struct Arguments {
  std::string folder;
  std::vector<std::string> rulesets;
  std::vector<int> folds;
  std::string thresholds;
  std::string output = "text";
};

// Without a file, what every score reaches. nullopt: problems were added.
std::optional<Thresholds> ReadThresholds(const std::string& file, engine::ProblemList& problems) {
  if (file.empty()) return Thresholds{.false_taints = std::numeric_limits<std::int64_t>::max()};
  std::string text;
  std::string error;
  if (ReadTextFile(file, &text, &error)) return ParseThresholds(file, text, problems);
  problems.problems.push_back(engine::MakeProblem({file, {}, {}, error}));
  return std::nullopt;
}

int ScoreRules(const Arguments& arguments) {
  engine::ProblemList problems;
  const auto thresholds = ReadThresholds(arguments.thresholds, problems);
  auto cases = ReadLabelledCases(arguments.folder, &problems.problems);
  for (const engine::RulesetProblem& problem : problems.problems) {
    fmt::print(stderr, "{}\n", ProblemText(problem, "error"));
  }
  if (!thresholds || !cases) return kExitBadInput;
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
  const std::vector<std::string> missed = Missed(*thresholds, SumOf(scored));
  for (const std::string& sentence : missed) {
    fmt::print(stderr, "{}: {}\n", VisibleText(arguments.thresholds), sentence);
  }
  return missed.empty() ? kExitDone : kExitFailed;
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
  command->add_option("--thresholds", arguments->thresholds,
                      "YAML: domainAccuracy, culpritAccuracy, hardwarePrecision, hardwareRecall "
                      "(at least, 0 to 1), falseTaints (at most)");
  command->add_option("-o,--output", arguments->output, "text or json")
      ->check(CLI::IsMember({"text", "json"}));
  command->footer("Exit status: 0 scored, 1 below the thresholds, 2 bad input.");
  command->callback([arguments, &run] { run = [arguments] { return ScoreRules(*arguments); }; });
}

}  // namespace app
