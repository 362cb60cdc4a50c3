// SPDX-License-Identifier: Apache-2.0
#include "controllers/ruleset/ruleset_check.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "controllers/ruleset/digest.h"
#include "controllers/ruleset/ruleset_store.h"

namespace controllers {
namespace {

using kube::Json;

Json SpecOf(const Json& ruleset) {
  const auto spec = ruleset.find("spec");
  return spec == ruleset.end() ? Json::object() : *spec;
}

std::int64_t CountRules(const Json& spec) {
  std::int64_t rules = 0;
  for (const char* list : {"extractors", "refiners", "collectors"}) {
    if (spec.contains(list)) rules += static_cast<std::int64_t>(spec.at(list).size());
  }
  if (spec.contains("tables")) {
    for (const Json& table : spec.at("tables")) {
      if (table.contains("rows")) rules += static_cast<std::int64_t>(table.at("rows").size());
    }
  }
  return rules;
}

}  // namespace

engine::RulesetDocument DocumentOf(const Json& ruleset) {
  const Json document = {{"apiVersion", "attribution.dev/v1alpha1"},
                         {"kind", "AttributionRuleset"},
                         {"metadata", {{"name", kube::NameOf(ruleset)}}},
                         {"spec", SpecOf(ruleset)}};
  return {kube::NameOf(ruleset), document.dump()};
}

std::string DigestOf(const Json& ruleset) { return "sha256:" + Sha256Hex(SpecOf(ruleset).dump()); }

RulesetCheck CheckRuleset(const Json& ruleset) {
  RulesetCheck check;
  check.rules = CountRules(SpecOf(ruleset));
  if (kube::NameOf(ruleset) == kBuiltinRuleset) {
    check.failures.push_back({"metadata.name", "",
                              "the name builtin is reserved for the rules compiled into the "
                              "operator; choose another"});
    return check;
  }
  std::vector<engine::RulesetDocument> documents = engine::Ruleset::BuiltinDocuments();
  documents.push_back(DocumentOf(ruleset));
  const engine::RulesetLoad load = engine::Ruleset::Load(documents);
  for (const engine::RulesetProblem& problem : load.problems) {
    check.failures.push_back({problem.path, problem.rule, problem.message});
  }
  check.loads = load.ruleset != nullptr;
  if (!check.loads) return check;
  const engine::RulesetTestReport report =
      engine::RunEmbeddedTests(load.ruleset, kube::NameOf(ruleset));
  check.tests = report.passed + static_cast<std::int64_t>(report.failures.size());
  check.tests_passed = report.failures.empty();
  for (const engine::RulesetTestFailure& failure : report.failures) {
    check.failures.push_back({failure.path, failure.rule, failure.message});
  }
  return check;
}

}  // namespace controllers
