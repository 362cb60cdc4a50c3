// SPDX-License-Identifier: Apache-2.0
#include "engine/authoring/symptom_use.h"

#include <algorithm>
#include <set>

#include "engine/rules/compiled_ruleset.h"

namespace engine {
namespace {

void AddFinders(const CompiledRuleset& ruleset, const ExtractorRule& rule, std::string_view id,
                std::vector<SymptomUse::Finder>& finders) {
  const auto add = [&](const std::string& code) {
    finders.push_back({rule.name, rule.path, rule.match, code, rule.sources});
  };
  if (rule.table.empty()) {
    if (rule.symptom == id) add("");
    return;
  }
  for (const auto& [key, symptom] : ruleset.FindTable(rule.table)->rows) {
    if (symptom == id) add(key);
  }
}

}  // namespace

SymptomUse UseOfSymptom(const Ruleset& ruleset, std::string_view id) {
  const CompiledRuleset& compiled = CompiledRuleset::From(ruleset);
  SymptomUse use;
  for (const ExtractorRule& rule : compiled.model().extractors) {
    AddFinders(compiled, rule, id, use.finders);
  }
  std::set<std::string> explains;
  std::set<std::string> explained_by;
  for (const RefinerRule& rule : compiled.model().refiners) {
    if (rule.explain) {
      const std::vector<std::string>& effects = rule.explain->effects;
      if (rule.explain->cause == id) explains.insert(effects.begin(), effects.end());
      if (std::find(effects.begin(), effects.end(), id) != effects.end()) {
        explained_by.insert(rule.explain->cause);
      }
    }
    const bool makes = (rule.combine && rule.combine->result == id) ||
                       (rule.escalate && rule.escalate->result == id);
    if (makes) use.makers.push_back(rule.name);
  }
  use.explains.assign(explains.begin(), explains.end());
  use.explained_by.assign(explained_by.begin(), explained_by.end());
  return use;
}

}  // namespace engine
