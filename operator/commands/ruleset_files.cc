// SPDX-License-Identifier: Apache-2.0
#include "operator/commands/ruleset_files.h"

#include <fmt/format.h>

#include <cstdio>

#include "operator/saved_logs/log_reader.h"
#include "operator/visible_text.h"

namespace app {
namespace {

// Well above what an AttributionRuleset object can hold.
constexpr std::size_t kMaxBytes = 16 << 20;

bool ReadText(const std::string& path, std::string* text, std::string* error) {
  const auto reader = OpenLog(path, error);
  if (reader == nullptr) return false;
  std::vector<char> buffer(64 * 1024);
  while (const std::size_t size = reader->Read(buffer)) {
    text->append(buffer.data(), size);
    if (text->size() > kMaxBytes) {
      *error = "larger than 16 MiB, which no ruleset is";
      return false;
    }
  }
  *error = reader->error();
  return error->empty();
}

}  // namespace

bool ReadRulesetFiles(const std::vector<std::string>& paths,
                      std::vector<engine::RulesetDocument>* documents, std::string* error) {
  for (const std::string& path : paths) {
    engine::RulesetDocument document{.name = path, .text = {}};
    if (!ReadText(path, &document.text, error)) {
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

std::shared_ptr<const engine::Ruleset> LoadRulesets(const std::vector<std::string>& paths) {
  std::vector<engine::RulesetDocument> documents = engine::Ruleset::BuiltinDocuments();
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

}  // namespace app
