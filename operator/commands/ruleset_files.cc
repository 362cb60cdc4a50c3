// SPDX-License-Identifier: Apache-2.0
#include "operator/commands/ruleset_files.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "operator/text_file.h"
#include "operator/visible_text.h"

namespace app {

bool ReadRulesetFiles(const std::vector<std::string>& paths,
                      std::vector<engine::RulesetDocument>* documents, std::string* error) {
  for (const std::string& path : paths) {
    engine::RulesetDocument document{.name = path, .text = {}};
    if (!ReadTextFile(path, &document.text, error)) {
      *error = fmt::format("{}: {}", VisibleText(path), *error);
      return false;
    }
    documents->push_back(std::move(document));
  }
  return true;
}

std::string ProblemText(const engine::RulesetProblem& problem, std::string_view severity) {
  std::string text = VisibleText(problem.file);
  if (problem.line > 0) text += fmt::format(":{}", problem.line);
  if (problem.line > 0 && problem.column > 0) text += fmt::format(":{}", problem.column);
  text += fmt::format(": {}: ", severity);
  if (!problem.path.empty()) text += VisibleText(problem.path);
  if (!problem.rule.empty()) text += fmt::format(" ({})", VisibleText(problem.rule));
  if (!problem.path.empty() || !problem.rule.empty()) text += ": ";
  return text + VisibleText(problem.message);
}

std::shared_ptr<const engine::Ruleset> LoadRulesets(const std::vector<std::string>& paths,
                                                    bool alone) {
  std::vector<engine::RulesetDocument> documents;
  if (!alone) documents = engine::Ruleset::BuiltinDocuments();
  std::string error;
  if (!ReadRulesetFiles(paths, &documents, &error)) {
    fmt::print(stderr, "attribution: {}\n", error);
    return nullptr;
  }
  const engine::RulesetLoad load = engine::Ruleset::Load(documents);
  for (const engine::RulesetProblem& problem : load.problems) {
    fmt::print(stderr, "{}\n", ProblemText(problem, "error"));
  }
  return load.ruleset;
}

void AddRulesetFiles(CLI::App* command, std::vector<std::string>& files, bool& alone) {
  command->add_option("file", files,
                      "Ruleset files, merged in this order; - is the standard input");
  command->add_flag("--alone", alone,
                    "Without the built-in rules beneath: every symptom must be in the files' own "
                    "catalog");
}

bool ReadSourceOption(const std::string& text, engine::Source* source) {
  const auto known = engine::ParseSource(text);
  if (known) {
    *source = *known;
    return true;
  }
  fmt::print(stderr,
             "attribution: --source {}: no source; it is one of AppLog, Kernel, Syslog, Kubelet, "
             "PodStatus, Event, NodeCondition, NodeMetric, Scheduler\n",
             VisibleText(text));
  return false;
}

}  // namespace app
