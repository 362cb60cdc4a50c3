// SPDX-License-Identifier: Apache-2.0
// `attribution rules explain [FILE...] --line '...'`: which rules take a line, which nearly do, and
// why not.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "engine/authoring/explain_line.h"
#include "operator/commands/rules_commands.h"
#include "operator/commands/ruleset_files.h"
#include "operator/saved_logs/kernel_tag.h"
#include "operator/visible_text.h"

namespace app {
namespace {

struct Arguments {
  std::vector<std::string> files;
  bool alone = false;
  std::vector<std::string> lines;
  std::string source;
};

void Print(const engine::LineExplanation& explained, engine::Source source) {
  const auto field = [](const char* name, const std::string& text) {
    if (!text.empty()) fmt::print("{:<9} {}\n", name, VisibleText(text));
  };
  field("source", std::string(engine::ToString(source)));
  field("taken off", explained.taken_off);
  field("message", explained.message);
  field("time", explained.time ? engine::FormatTime(*explained.time) : std::string());
  field("node", explained.node);
  field("rank", explained.rank ? std::to_string(*explained.rank) : std::string());
  bool any = false;
  for (const engine::RuleOnLine& rule : explained.rules) {
    any = any || rule.matches;
    fmt::print("\n{} {}{}  [{}]\n", rule.matches ? "MATCH " : "nearly", VisibleText(rule.rule),
               rule.symptom.empty() ? "" : " -> " + VisibleText(rule.symptom),
               VisibleText(rule.path));
    if (!rule.matches) fmt::print("       {}\n", VisibleText(rule.why_not));
    for (const auto& [group, text] : rule.captures) {
      fmt::print("       {} = {}\n", group, VisibleText(text));
    }
  }
  if (explained.rules.empty()) fmt::print("\nNo rule holds any fixed text of this line.\n");
  if (!any) fmt::print("\nNo rule matches.\n");
}

int ExplainRules(const Arguments& arguments) {
  engine::Source source = SourceByContent(arguments.lines.front());
  if (!arguments.source.empty() && !ReadSourceOption(arguments.source, &source)) {
    return kExitBadInput;
  }
  const auto ruleset = LoadRulesets(arguments.files, arguments.alone);
  if (ruleset == nullptr) return kExitBadInput;
  Print(engine::ExplainLine(ruleset, source, arguments.lines), source);
  return kExitDone;
}

}  // namespace

void AddRulesExplain(CLI::App& rules, Run& run) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      rules.add_subcommand("explain", "Which rules take a line, which nearly do, and why not");
  AddRulesetFiles(command, arguments->files, arguments->alone);
  command
      ->add_option("--line", arguments->lines,
                   "The line; more of them follow it, for records of several lines")
      ->required()
      ->expected(1);
  command->add_option("--source", arguments->source,
                      "What it is of: AppLog, Kernel, Syslog, Kubelet, Event, ...; default: by its "
                      "looks, Kernel, Syslog or AppLog");
  command->callback([arguments, &run] { run = [arguments] { return ExplainRules(*arguments); }; });
}

}  // namespace app
