// SPDX-License-Identifier: Apache-2.0
#include "operator/labelled_cases/labelled_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "engine/rules/document.h"
#include "operator/text_file.h"

namespace app {
namespace {

namespace fs = std::filesystem;
using engine::DocumentNode;
using engine::FieldReader;
using engine::ProblemList;

constexpr std::size_t kMaxEvidence = 256;
constexpr std::size_t kMaxLines = 10'000;
constexpr std::size_t kMaxNodes = 1'000;
constexpr std::size_t kMaxNodeBytes = 253;
constexpr std::size_t kMaxIdBytes = 256;

// The word for evidence that is of no one node.
constexpr char kCluster[] = "cluster";

std::vector<std::string> ReadNodes(const DocumentNode& workload, FieldReader& reader) {
  std::vector<std::string> nodes;
  const DocumentNode* const given = workload.Find("nodes");
  if (given != nullptr && given->scalar == "unknown") return nodes;
  const DocumentNode* const map = reader.Map("nodes");
  if (map == nullptr) return nodes;
  if (map->keys.size() > kMaxNodes) {
    reader.Problem("nodes", fmt::format("more than {} nodes", kMaxNodes));
    return nodes;
  }
  for (const DocumentNode& key : map->keys) nodes.push_back(key.scalar);
  return nodes;
}

LabelledLog ReadLog(FieldReader& reader) {
  LabelledLog log;
  const std::string source = reader.RequiredString("source");
  if (const auto known = engine::ParseSource(source)) {
    log.source = *known;
  } else if (!source.empty()) {
    reader.Problem("source",
                   fmt::format("\"{}\" is no source; one of applog, syslog, kubelet, k8s-event, "
                               "scheduler, node-metrics is expected",
                               source));
  }
  log.node = reader.OptionalString("node", kMaxNodeBytes);
  if (log.node == kCluster) log.node.clear();
  if (!reader.Has("lines")) reader.Problem("lines", "is required");
  log.lines = reader.Lines("lines", kMaxLines);
  reader.RefuseOthers();
  return log;
}

Label ReadLabel(FieldReader& reader) {
  Label label;
  label.root_symptom = reader.OptionalString("root_symptom");
  label.failure_domain = reader.Choice("failure_domain", kAnswers, /*required=*/true);
  label.also_acceptable_domains = reader.Strings("also_acceptable_domains", kAnswers.size());
  for (const std::string& domain : label.also_acceptable_domains) {
    if (std::find(kAnswers.begin(), kAnswers.end(), domain) == kAnswers.end()) {
      reader.Problem("also_acceptable_domains", fmt::format("\"{}\" is none; one of {} is expected",
                                                            domain, fmt::join(kAnswers, ", ")));
    }
  }
  if (!reader.Has("culprit_nodes")) reader.Problem("culprit_nodes", "is required ([]: none)");
  label.culprit_nodes = reader.Strings("culprit_nodes", kMaxNodes, kMaxNodeBytes);
  std::sort(label.culprit_nodes.begin(), label.culprit_nodes.end());
  label.taint = reader.Choice("taint", {"false", "true"}, /*required=*/true) == "true";
  reader.RefuseOthers();
  return label;
}

LabelledCase ReadCase(const std::string& file, const DocumentNode& document,
                      ProblemList& problems) {
  LabelledCase one;
  one.file = file;
  FieldReader reader(document, {}, problems);
  one.id = reader.RequiredString("id", kMaxIdBytes);
  reader.SetRule(one.id);
  if (const DocumentNode* const workload = reader.Map("workload")) {
    FieldReader inner(*workload, "workload", problems);
    inner.SetRule(one.id);
    one.nodes = ReadNodes(*workload, inner);
  }
  if (reader.HasNone("evidence")) reader.Problem("evidence", "at least one entry is needed");
  if (const DocumentNode* const evidence = reader.List("evidence", kMaxEvidence)) {
    for (std::size_t i = 0; i < evidence->items.size(); ++i) {
      FieldReader inner(evidence->items[i], fmt::format("evidence[{}]", i), problems);
      inner.SetRule(one.id);
      one.evidence.push_back(ReadLog(inner));
    }
  }
  if (const DocumentNode* const expected = reader.Map("expected", /*required=*/true)) {
    FieldReader inner(*expected, "expected", problems);
    inner.SetRule(one.id);
    one.expected = ReadLabel(inner);
  }
  return one;
}

std::vector<std::string> CaseFiles(const std::string& folder, std::string* error) {
  std::vector<std::string> files;
  std::error_code code;
  if (!fs::is_directory(folder, code)) {
    if (code) *error = code.message();
    return code ? files : std::vector<std::string>{folder};
  }
  fs::recursive_directory_iterator walk(folder, code);
  for (const fs::recursive_directory_iterator end; !code && walk != end; walk.increment(code)) {
    const std::string extension = walk->path().extension().string();
    if (extension == ".yaml" || extension == ".yml") files.push_back(walk->path().string());
  }
  if (code) *error = code.message();
  if (!code && files.empty()) *error = "no *.yaml in this folder";
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::vector<LabelledCase> ParseLabelledCases(const std::string& file, std::string_view text,
                                             ProblemList& problems) {
  problems.file = file;
  std::vector<DocumentNode> documents;
  engine::DocumentProblem problem;
  std::vector<LabelledCase> cases;
  if (!engine::ParseDocuments(text, &documents, &problem)) {
    problems.problems.push_back(
        engine::MakeProblem({file, {}, {}, problem.message, problem.line, problem.column}));
    return cases;
  }
  for (const DocumentNode& document : documents) {
    cases.push_back(ReadCase(file, document, problems));
  }
  return cases;
}

std::optional<std::vector<LabelledCase>> ReadLabelledCases(
    const std::string& folder, std::vector<engine::RulesetProblem>* problems) {
  ProblemList list;
  std::vector<LabelledCase> cases;
  const auto complain = [&](const std::string& file, const std::string& message) {
    list.problems.push_back(engine::MakeProblem({file, {}, {}, message}));
  };
  std::string error;
  const std::vector<std::string> files = CaseFiles(folder, &error);
  if (!error.empty()) complain(folder, error);
  for (const std::string& file : files) {
    std::string text;
    if (!ReadTextFile(file, &text, &error)) {
      complain(file, error);
      continue;
    }
    std::vector<LabelledCase> of_file = ParseLabelledCases(file, text, list);
    std::move(of_file.begin(), of_file.end(), std::back_inserter(cases));
  }
  std::map<std::string, const LabelledCase*> by_id;
  for (const LabelledCase& one : cases) {
    const auto [known, is_new] = by_id.emplace(one.id, &one);
    if (!is_new) {
      list.problems.push_back(engine::MakeProblem(
          {one.file, "id", one.id, "stands in " + known->second->file + " too"}));
    }
  }
  if (list.problems.empty()) return cases;
  std::move(list.problems.begin(), list.problems.end(), std::back_inserter(*problems));
  return std::nullopt;
}

}  // namespace app
