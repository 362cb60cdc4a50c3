// SPDX-License-Identifier: Apache-2.0
// `attribution analyze PATH...`: the verdict on saved logs, without a cluster.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "operator/commands/command.h"
#include "operator/commands/ruleset_files.h"
#include "operator/progress_bar.h"
#include "operator/report_text.h"
#include "operator/saved_logs/analysis.h"
#include "operator/saved_logs/workload_file.h"
#include "operator/visible_text.h"
#include "operator/yaml_text.h"

namespace app {
namespace {

struct Arguments {
  std::vector<std::string> paths;
  std::vector<std::string> rulesets;
  std::string node;
  std::string source;
  std::string since;
  std::string workload;
  std::string output = "text";
};

int BadInput(const std::string& message) {
  fmt::print(stderr, "attribution analyze: {}\n", message);
  return kExitBadInput;
}

engine::Time Now() {
  return std::chrono::time_point_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now());
}

// The workload that --workload and --since describe. nullopt: `error` says why not.
std::optional<engine::Workload> WorkloadOf(const Arguments& arguments, std::string* error) {
  engine::Workload workload;
  if (!arguments.workload.empty()) {
    std::optional<engine::Workload> given;
    if (std::ifstream file(arguments.workload); file) {
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      given = ParseWorkload(text, error);
    } else {
      given = ParseInterval(arguments.workload, Now(), error);
    }
    if (!given) {
      *error = fmt::format("--workload {}: {}", VisibleText(arguments.workload), *error);
      return std::nullopt;
    }
    workload = *std::move(given);
  }
  if (!arguments.since.empty()) {
    workload.start = ParseMoment(arguments.since, Now());
    if (!workload.start) {
      *error = fmt::format("--since {}: no time; write it like 2026-12-01T04:00:00Z or 2h",
                           VisibleText(arguments.since));
      return std::nullopt;
    }
  }
  return workload;
}

void Print(const Arguments& arguments, const engine::Ruleset& ruleset,
           const engine::Attribution& attribution) {
  const nlohmann::ordered_json status = engine::ToJson(attribution);
  if (arguments.output == "json") {
    fmt::print("{}\n", status.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    return;
  }
  if (arguments.output == "yaml") {
    fmt::print("{}", YamlText(status));
    return;
  }
  const engine::CatalogEntry* const entry = ruleset.FindSymptom(attribution.verdict.symptom);
  fmt::print("{}", ReportText(status, {.color = StdoutWantsColor(),
                                       .wide = arguments.output == "wide",
                                       .title = entry == nullptr ? "" : entry->title}));
}

int Analyze(const Arguments& arguments) {
  std::string error;
  LogHints hints{.source = {}, .node = arguments.node};
  if (!arguments.source.empty() && !ReadSourceOption(arguments.source, &hints.source.emplace())) {
    return kExitBadInput;
  }
  const auto workload = WorkloadOf(arguments, &error);
  if (!workload) return BadInput(error);
  const auto logs = ListSavedLogs(arguments.paths, hints, &error);
  if (!logs) return BadInput(error);
  if (logs->empty()) {
    return BadInput("no files in what was named; name the logs of the failed workload");
  }
  const auto ruleset = LoadRulesets(arguments.rulesets);
  if (ruleset == nullptr) return kExitBadInput;
  ReadingProgress progress;
  const SavedLogsVerdict verdict = [&] {
    const ProgressBar bar(progress);
    return AnalyzeSavedLogs(ruleset, *workload, *logs, &progress);
  }();
  bool any_read = false;
  for (const ReadLog& log : verdict.logs) {
    any_read = any_read || !log.skipped;
    if (!log.problem.empty()) {
      fmt::print(stderr, "attribution analyze: {}: {}\n", VisibleText(log.path),
                 VisibleText(log.problem));
    }
  }
  if (!any_read) return kExitBadInput;
  Print(arguments, *ruleset, verdict.attribution);
  return verdict.attribution.verdict.result == engine::Result::kUnknown ? kExitUnknown : kExitDone;
}

}  // namespace

void AddAnalyze(CLI::App& app, Run& run) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("analyze", "Whose problem is it? The verdict on saved logs");
  command->add_option("path", arguments->paths, "Log files and folders; - is the standard input")
      ->required();
  command->add_option("--node", arguments->node, "The node that all of them are from");
  command->add_option("--source", arguments->source,
                      "What all of them are: AppLog, Kernel, Syslog, Kubelet, Event, ...");
  command->add_option("--since", arguments->since,
                      "Leave out what is older: a time, or how long ago (2h)");
  command->add_option("--workload", arguments->workload,
                      "A Job as YAML or JSON, or START/END of the run");
  command->add_option("--ruleset", arguments->rulesets,
                      "A ruleset file that is merged over the built-in rules; may be repeated");
  command->add_option("-o,--output", arguments->output, "text, wide, json or yaml")
      ->check(CLI::IsMember({"text", "wide", "json", "yaml"}));
  command->footer(
      "File and folder names say node, rank and source where they can: n1/kern.log, "
      "n1/rank3.log, events.txt.\n"
      "Exit status: 0 a verdict, 3 Unknown, 2 bad input.");
  command->callback([arguments, &run] { run = [arguments] { return Analyze(*arguments); }; });
}

}  // namespace app
