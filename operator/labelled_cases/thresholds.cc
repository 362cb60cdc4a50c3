// SPDX-License-Identifier: Apache-2.0
#include "operator/labelled_cases/thresholds.h"

#include <fmt/format.h>

#include <charconv>

#include "engine/rules/document.h"

namespace app {
namespace {

constexpr std::int64_t kMaxFalseTaints = 1'000'000;

double ShareAt(engine::FieldReader& reader, const char* key) {
  const std::string text = reader.OptionalString(key);
  if (!reader.Has(key)) return 0;
  double share = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), share);
  if (error != std::errc() || rest != text.data() + text.size() || !(share >= 0 && share <= 1)) {
    reader.Problem(key, "a number from 0 to 1 is expected");
  }
  return share;
}

}  // namespace

std::optional<Thresholds> ParseThresholds(const std::string& file, std::string_view text,
                                          engine::ProblemList& problems) {
  problems.file = file;
  const std::size_t known_problems = problems.problems.size();
  std::vector<engine::DocumentNode> documents;
  engine::DocumentProblem problem;
  const bool parsed = engine::ParseDocuments(text, &documents, &problem);
  if (parsed && documents.size() != 1) problem.message = "expected one map of thresholds";
  if (!problem.message.empty()) {
    problems.problems.push_back(
        engine::MakeProblem({file, {}, {}, problem.message, problem.line, problem.column}));
    return std::nullopt;
  }
  engine::FieldReader reader(documents.front(), {}, problems);
  Thresholds thresholds;
  thresholds.domain_accuracy = ShareAt(reader, "domainAccuracy");
  thresholds.culprit_accuracy = ShareAt(reader, "culpritAccuracy");
  thresholds.hardware_precision = ShareAt(reader, "hardwarePrecision");
  thresholds.hardware_recall = ShareAt(reader, "hardwareRecall");
  thresholds.false_taints = reader.Integer("falseTaints", 0, 0, kMaxFalseTaints);
  reader.RefuseOthers();
  if (problems.problems.size() > known_problems) return std::nullopt;
  return thresholds;
}

std::vector<std::string> Missed(const Thresholds& thresholds, const Score& score) {
  std::vector<std::string> missed;
  const auto at_least = [&](const char* what, double wanted, double got) {
    if (got >= wanted) return;
    missed.push_back(
        fmt::format("{} is {:.2f} %; {:.2f} % are demanded", what, 100 * got, 100 * wanted));
  };
  at_least("domainAccuracy", thresholds.domain_accuracy, score.DomainAccuracy());
  at_least("culpritAccuracy", thresholds.culprit_accuracy, score.CulpritAccuracy());
  at_least("hardwarePrecision", thresholds.hardware_precision, score.HardwarePrecision());
  at_least("hardwareRecall", thresholds.hardware_recall, score.HardwareRecall());
  if (score.false_taints > thresholds.false_taints) {
    missed.push_back(fmt::format("falseTaints are {}; at most {} are allowed", score.false_taints,
                                 thresholds.false_taints));
  }
  return missed;
}

}  // namespace app
