// SPDX-License-Identifier: Apache-2.0
// `attribution rules bench [FILE...] LOG`: what each rule costs on a log.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>

#include "engine/authoring/measure_rules.h"
#include "operator/commands/rules_commands.h"
#include "operator/commands/ruleset_files.h"
#include "operator/saved_logs/kernel_tag.h"
#include "operator/saved_logs/log_reader.h"
#include "operator/visible_text.h"

namespace app {
namespace {

// Of a longer log the beginning is measured.
constexpr std::size_t kMaxLogBytes = 256 << 20;
constexpr std::size_t kRulesShown = 40;

struct Arguments {
  std::vector<std::string> paths;  // the last is the log
  bool alone = false;
  bool all = false;
  std::string source;
};

bool ReadLog(const std::string& path, std::string* text) {
  std::string error;
  const auto reader = OpenLog(path, &error);
  std::vector<char> buffer(1 << 20);
  while (reader != nullptr && text->size() < kMaxLogBytes) {
    const std::size_t size = reader->Read(buffer);
    if (size == 0) break;
    text->append(buffer.data(), size);
  }
  if (reader != nullptr) error = reader->error();
  if (!error.empty())
    fmt::print(stderr, "attribution rules bench: {}: {}\n", VisibleText(path), error);
  return !text->empty() || error.empty();
}

double Milliseconds(std::chrono::nanoseconds time) {
  return static_cast<double>(time.count()) / 1e6;
}

void Print(const engine::RuleCosts& costs, engine::Source source, bool all) {
  std::chrono::nanoseconds patterns{0};
  for (const engine::RuleCost& rule : costs.rules) patterns += rule.time;
  fmt::print("{} lines, {:.1f} MB as {}: {:.2f} ms to look for literals, {:.2f} ms in patterns\n",
             costs.lines, static_cast<double>(costs.bytes) / 1e6, engine::ToString(source),
             Milliseconds(costs.search_time), Milliseconds(patterns));
  if (costs.rules.empty()) return;
  fmt::print("\n{:>10}{:>8}{:>10}{:>11}{:>11}  rule\n", "ms", "share", "ns/line", "tried",
             "matched");
  const std::size_t shown = all ? costs.rules.size() : std::min(costs.rules.size(), kRulesShown);
  for (std::size_t i = 0; i < shown; ++i) {
    const engine::RuleCost& rule = costs.rules[i];
    const auto nanoseconds = static_cast<double>(rule.time.count());
    fmt::print("{:>10.3f}{:>6.1f} %{:>10.0f}{:>11}{:>11}  {}\n", Milliseconds(rule.time),
               100 * nanoseconds / std::max(1.0, static_cast<double>(patterns.count())),
               nanoseconds / static_cast<double>(rule.tried), rule.tried, rule.matched,
               VisibleText(rule.rule));
  }
  if (shown < costs.rules.size()) {
    fmt::print("and {} more (--all shows them)\n", costs.rules.size() - shown);
  }
}

int BenchRules(const Arguments& arguments) {
  const std::string& log = arguments.paths.back();
  const std::vector<std::string> files(arguments.paths.begin(), arguments.paths.end() - 1);
  std::string text;
  if (!ReadLog(log, &text)) return kExitBadInput;
  engine::Source source = SourceByContent(std::string_view(text).substr(0, 256 * 1024));
  if (!arguments.source.empty() && !ReadSourceOption(arguments.source, &source)) {
    return kExitBadInput;
  }
  const auto ruleset = LoadRulesets(files, arguments.alone);
  if (ruleset == nullptr) return kExitBadInput;
  Print(engine::MeasureRules(ruleset, source, text), source, arguments.all);
  return kExitDone;
}

}  // namespace

void AddRulesBench(CLI::App& rules, Run& run) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      rules.add_subcommand("bench", "What each rule costs on a log: time, lines tried and matched");
  command->add_option("path", arguments->paths, "Ruleset files, then the log")->required();
  command->add_flag("--alone", arguments->alone, "Without the built-in rules beneath");
  command->add_flag("--all", arguments->all, "All rules that were tried, not the dearest 40");
  command->add_option("--source", arguments->source, "What the log is; default: by its looks");
  command->callback([arguments, &run] { run = [arguments] { return BenchRules(*arguments); }; });
}

}  // namespace app
