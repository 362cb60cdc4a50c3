// SPDX-License-Identifier: Apache-2.0
#include "engine/rules/warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "engine/rules/placed_problems.h"

namespace engine {
namespace {

class Warner {
 public:
  Warner(const RuleModel& model, const RulePlaces& places, std::vector<RulesetProblem>& warnings)
      : model_(model), warnings_(places, warnings) {
    for (const TableRule& table : model.tables) tables_[table.name] = &table;
    for (const ExtractorRule& rule : model.extractors) {
      for (const std::string& symptom : SymptomsOf(rule)) {
        sources_[symptom].insert(rule.sources.begin(), rule.sources.end());
      }
    }
    for (const RefinerRule& rule : model.refiners) {
      if (rule.combine) combined_.insert(rule.combine->result);
      if (rule.escalate) escalated_.insert(rule.escalate->result);
    }
  }

  void Run() {
    for (const CatalogEntry& entry : model_.catalog) WarnOfSymptom(entry);
    WarnOfUnusedTables();
    WarnOfTwins();
    WarnOfCombinations();
  }

 private:
  std::vector<std::string> SymptomsOf(const ExtractorRule& rule) const {
    if (rule.table.empty()) return {rule.symptom};
    std::vector<std::string> symptoms;
    for (const auto& [key, symptom] : tables_.at(rule.table)->rows) symptoms.push_back(symptom);
    return symptoms;
  }

  void WarnOfSymptom(const CatalogEntry& entry) {
    const auto add = [&](const std::string& message) {
      warnings_.Add(PlaceKey("catalog", entry.id), "", entry.id, message);
    };
    const bool derived = combined_.contains(entry.id) || escalated_.contains(entry.id);
    const auto sources = sources_.find(entry.id);
    if (sources == sources_.end()) {
      if (!derived) add("no rule produces this symptom");
      return;
    }
    const bool provable =
        derived || std::any_of(entry.established_by.begin(), entry.established_by.end(),
                               [&](Source source) { return sources->second.contains(source); });
    if (entry.taint && !provable) {
      add("taints, but no extractor of it reads a source of establishedBy: it is never proven");
    }
  }

  void WarnOfUnusedTables() {
    std::set<std::string> used;
    for (const ExtractorRule& rule : model_.extractors) used.insert(rule.table);
    for (const TableRule& table : model_.tables) {
      if (used.contains(table.name)) continue;
      warnings_.Add(PlaceKey("tables", table.name), "", table.name, "no extractor uses this table");
    }
  }

  // Two extractors that can only hit together: one is enough.
  void WarnOfTwins() {
    std::map<std::tuple<Source, std::string, std::string, std::string>, const ExtractorRule*> seen;
    for (const ExtractorRule& rule : model_.extractors) {
      if (rule.record || rule.counter || !rule.unless.empty()) continue;
      for (const Source source : rule.sources) {
        const auto [first, added] =
            seen.insert({{source, rule.match, rule.symptom, rule.table}, &rule});
        if (added) continue;
        warnings_.Add(rule.path, "match", rule.name,
                      fmt::format("finds only what {} finds in {} already", first->second->name,
                                  ToString(source)));
        break;
      }
    }
  }

  // Combinations are made in the order of the list, before escalations.
  void WarnOfCombinations() {
    std::set<std::string> made;
    for (const RefinerRule& rule : model_.refiners) {
      if (!rule.combine) continue;
      const CombineRule& combine = *rule.combine;
      WarnOfLateParts(rule, combine.all, "combine.all", made);
      WarnOfLateParts(rule, combine.none, "combine.none", made);
      if (!combine.none.empty() && combine.coverage.empty()) {
        warnings_.Add(rule.path, "combine.none", rule.name,
                      "without coverage, what was never looked for counts as absent; name the "
                      "sources in which it would stand");
      }
      made.insert(combine.result);
    }
  }

  void WarnOfLateParts(const RefinerRule& rule, const std::vector<std::string>& symptoms,
                       const char* field, const std::set<std::string>& made) {
    for (const std::string& symptom : symptoms) {
      // What is also seen in a line is there at any time.
      if (sources_.contains(symptom) || made.contains(symptom)) continue;
      if (combined_.contains(symptom)) {
        warnings_.Add(
            rule.path, field, rule.name,
            fmt::format("\"{}\" is made by a later combine; move this one behind it", symptom));
      } else if (escalated_.contains(symptom)) {
        warnings_.Add(
            rule.path, field, rule.name,
            fmt::format("\"{}\" is made by escalate, which comes after every combine", symptom));
      }
    }
  }

  const RuleModel& model_;
  PlacedProblems warnings_;
  std::map<std::string, const TableRule*> tables_;
  std::map<std::string, std::set<Source>> sources_;  // of the extractors, by symptom
  std::set<std::string> combined_;                   // results
  std::set<std::string> escalated_;
};

}  // namespace

void WarnOfRules(const RuleModel& model, const RulePlaces& places,
                 std::vector<RulesetProblem>& warnings) {
  Warner(model, places, warnings).Run();
}

}  // namespace engine
