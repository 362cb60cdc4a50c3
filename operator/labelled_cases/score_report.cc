// SPDX-License-Identifier: Apache-2.0
#include "operator/labelled_cases/score_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "operator/visible_text.h"

namespace app {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kColumn = 10;

// "Unknown-needs-more-evidence" as a table's heading.
std::string Short(const std::string& domain) { return domain.substr(0, domain.find('-')); }

std::string NodesText(const std::vector<std::string>& nodes) {
  return nodes.empty() ? "no node" : VisibleText(fmt::format("{}", fmt::join(nodes, ", ")));
}

std::string FailureText(const ScoredCase& one) {
  const Label& expected = one.label.expected;
  std::vector<std::string> wrong;
  if (one.false_taint) wrong.emplace_back("FALSE TAINT");
  if (!one.domain_ok) {
    std::string domains = expected.failure_domain;
    for (const std::string& domain : expected.also_acceptable_domains) domains += " or " + domain;
    wrong.push_back(fmt::format("expected {}, got {}", domains, one.got.domain));
  }
  if (!one.culprit_ok) {
    wrong.push_back(fmt::format("expected {}, got {}", NodesText(expected.culprit_nodes),
                                NodesText(one.got.nodes)));
  }
  std::string text =
      fmt::format("FAIL {}: {}\n", VisibleText(one.label.id), fmt::join(wrong, "; "));
  text += fmt::format("     {}\n", VisibleText(one.label.file));
  text += fmt::format("     should be {}, is {}\n", VisibleText(expected.root_symptom),
                      one.got.symptom.empty() ? "none" : one.got.symptom);
  text +=
      fmt::format("     {}\n", one.decided.empty() ? "no line decided" : VisibleText(one.decided));
  return text;
}

// Rows are what the labels say, columns the verdicts.
std::string MatrixText(const std::vector<ScoredCase>& cases) {
  std::map<std::pair<std::string, std::string>, int> counts;
  for (const ScoredCase& one : cases) {
    ++counts[{one.label.expected.failure_domain, one.got.domain}];
  }
  std::string text = fmt::format("{:<{}}", "label", kColumn);
  for (const std::string& got : kAnswers) text += fmt::format("{:>{}}", Short(got), kColumn);
  text += '\n';
  for (const std::string& expected : kAnswers) {
    text += fmt::format("{:<{}}", Short(expected), kColumn);
    for (const std::string& got : kAnswers) {
      const auto found = counts.find({expected, got});
      text += fmt::format("{:>{}}", found == counts.end() ? "." : std::to_string(found->second),
                          kColumn);
    }
    text += '\n';
  }
  return text;
}

std::string SumText(const std::string& name, const Score& sum) {
  return fmt::format("{:<6}{:>6}{:>9.1f} %{:>9.1f} %{:>14}{:>15}\n", name, sum.cases,
                     100 * sum.DomainAccuracy(), 100 * sum.CulpritAccuracy(), sum.false_taints,
                     sum.missed_taints);
}

std::vector<ScoredCase> OfFold(const std::vector<ScoredCase>& cases, int fold) {
  std::vector<ScoredCase> some;
  std::copy_if(cases.begin(), cases.end(), std::back_inserter(some),
               [&](const ScoredCase& one) { return FoldOf(one.label.id) == fold; });
  return some;
}

Json SumJson(const Score& sum) {
  return {{"cases", sum.cases},
          {"domainCorrect", sum.domain_correct},
          {"domainAccuracy", sum.DomainAccuracy()},
          {"culpritCorrect", sum.culprit_correct},
          {"culpritAccuracy", sum.CulpritAccuracy()},
          {"hardware", {{"precision", sum.HardwarePrecision()}, {"recall", sum.HardwareRecall()}}},
          {"falseTaints", sum.false_taints},
          {"missedTaints", sum.missed_taints}};
}

Json ResultJson(const ScoredCase& one) {
  const Label& expected = one.label.expected;
  Json label = {{"root_symptom", expected.root_symptom},
                {"failure_domain", expected.failure_domain},
                {"culprit_nodes", expected.culprit_nodes},
                {"taint", expected.taint}};
  if (!expected.also_acceptable_domains.empty()) {
    label["also_acceptable_domains"] = expected.also_acceptable_domains;
  }
  return {{"id", one.label.id},
          {"expected", std::move(label)},
          {"got",
           {{"domain", one.got.domain},
            {"symptom", one.got.symptom},
            {"nodes", one.got.nodes},
            {"taint", one.got.taint}}},
          {"domainOK", one.domain_ok},
          {"culpritOK", one.culprit_ok}};
}

}  // namespace

std::string ScoreText(const std::vector<ScoredCase>& cases) {
  std::string text;
  for (const ScoredCase& one : cases) {
    if (!one.domain_ok || !one.culprit_ok || one.false_taint) text += FailureText(one);
  }
  if (!text.empty()) text += '\n';
  text += MatrixText(cases);
  text += fmt::format("\n{:<6}{:>6}{:>11}{:>11}{:>14}{:>15}\n", "fold", "cases", "domain",
                      "culprit", "false taints", "missed taints");
  for (int fold = 0; fold < kFolds; ++fold) {
    const Score sum = SumOf(OfFold(cases, fold));
    if (sum.cases > 0) text += SumText(std::to_string(fold), sum);
  }
  const Score sum = SumOf(cases);
  text += SumText("all", sum);
  text += fmt::format("Hardware: precision {:.1f} %, recall {:.1f} %\n",
                      100 * sum.HardwarePrecision(), 100 * sum.HardwareRecall());
  return text;
}

Json ScoreJson(const std::vector<ScoredCase>& cases) {
  Json json = SumJson(SumOf(cases));
  Json folds = Json::array();
  for (int fold = 0; fold < kFolds; ++fold) {
    Json entry = {{"fold", fold}};
    entry.update(SumJson(SumOf(OfFold(cases, fold))));
    folds.push_back(std::move(entry));
  }
  json["folds"] = std::move(folds);
  Json results = Json::array();
  for (const ScoredCase& one : cases) results.push_back(ResultJson(one));
  json["results"] = std::move(results);
  return json;
}

}  // namespace app
