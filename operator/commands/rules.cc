// SPDX-License-Identifier: Apache-2.0
// `attribution rules`: for those who write rulesets; here lint and test.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <set>

#include "engine/authoring/pattern_warnings.h"
#include "operator/commands/command.h"
#include "operator/commands/rules_commands.h"
#include "operator/commands/ruleset_files.h"
#include "operator/visible_text.h"

namespace app {
namespace {

struct Arguments {
  std::vector<std::string> files;
  bool alone = false;
};

// Null: what is wrong has been written.
std::shared_ptr<const engine::Ruleset> Load(const Arguments& arguments, int* status,
                                            std::size_t* warnings) {
  std::vector<engine::RulesetDocument> documents;
  if (!arguments.alone) documents = engine::Ruleset::BuiltinDocuments();
  std::string error;
  if (!ReadRulesetFiles(arguments.files, &documents, &error)) {
    fmt::print(stderr, "attribution rules: {}\n", error);
    *status = kExitBadInput;
    return nullptr;
  }
  const engine::RulesetLoad load = engine::Ruleset::Load(documents);
  for (const engine::RulesetProblem& problem : load.problems) {
    fmt::print("{}\n", ProblemText(problem, "error"));
  }
  // Only what the files themselves are warned for: the built-in rules have tests of their own.
  for (const engine::RulesetProblem& problem : load.warnings) {
    if (std::find(arguments.files.begin(), arguments.files.end(), problem.file) ==
        arguments.files.end()) {
      continue;
    }
    fmt::print("{}\n", ProblemText(problem, "warning"));
    ++*warnings;
  }
  if (load.ruleset == nullptr) {
    fmt::print("{} error{}: nothing of this would be used\n", load.problems.size(),
               load.problems.size() == 1 ? "" : "s");
    *status = kExitFailed;
  }
  return load.ruleset;
}

int Lint(const Arguments& arguments) {
  int status = kExitDone;
  std::size_t warnings = 0;
  const auto ruleset = Load(arguments, &status, &warnings);
  if (ruleset == nullptr) return status;
  const std::set<std::string> files(arguments.files.begin(), arguments.files.end());
  for (const engine::RulesetProblem& problem : engine::PatternWarnings(ruleset, files)) {
    fmt::print("{}\n", ProblemText(problem, "warning"));
    ++warnings;
  }
  fmt::print("ok: {} rules{}, {} warning{}\n", ruleset->RuleCount(),
             arguments.alone ? "" : " with the built-in ones", warnings, warnings == 1 ? "" : "s");
  return kExitDone;
}

int Test(const Arguments& arguments) {
  int status = kExitDone;
  std::size_t warnings = 0;
  const auto ruleset = Load(arguments, &status, &warnings);
  if (ruleset == nullptr) return status;
  const engine::RulesetTestReport report = engine::RunEmbeddedTests(ruleset);
  for (const engine::RulesetTestFailure& failure : report.failures) {
    fmt::print("FAIL {}{}: {}\n", VisibleText(failure.path),
               failure.rule.empty() ? "" : fmt::format(" ({})", VisibleText(failure.rule)),
               VisibleText(failure.message));
  }
  fmt::print("{} passed, {} failed\n", report.passed, report.failures.size());
  return report.failures.empty() ? kExitDone : kExitFailed;
}

}  // namespace

void AddRules(CLI::App& app, Run& run) {
  CLI::App* rules = app.add_subcommand("rules", "Check and test rulesets");
  rules->require_subcommand(1);
  auto arguments = std::make_shared<Arguments>();
  CLI::App* lint = rules->add_subcommand(
      "lint", "Every error with file, line and remedy; without files, of the built-in rules");
  AddRulesetFiles(lint, arguments->files, arguments->alone);
  lint->callback([arguments, &run] { run = [arguments] { return Lint(*arguments); }; });
  CLI::App* test = rules->add_subcommand(
      "test", "Runs all examples and tests; without files, those of the built-in rules");
  AddRulesetFiles(test, arguments->files, arguments->alone);
  test->callback([arguments, &run] { run = [arguments] { return Test(*arguments); }; });
  AddRulesExplain(*rules, run);
  AddRulesBench(*rules, run);
  AddRulesShow(*rules, run);
  AddRulesScore(*rules, run);
}

}  // namespace app
