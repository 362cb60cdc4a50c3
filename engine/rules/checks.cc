// SPDX-License-Identifier: Apache-2.0
#include "engine/rules/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "engine/rules/circles.h"
#include "engine/rules/pattern.h"
#include "engine/rules/placed_problems.h"
#include "engine/rules/prepared_rules.h"

namespace engine {
namespace {

const std::set<std::string> kGroups = {"pci",  "uuid",  "gpu",   "rank", "node", "pid",
                                       "code", "errno", "value", "time", "file", "exception"};

constexpr int kMaxGroups = 32;

// Groups of which a pattern must have one.
using Need = std::vector<std::string>;

// The names of its groups. False: it is refused, for the reason in `error`.
bool ReadGroups(const std::string& pattern, std::set<std::string>& groups, std::string* error) {
  if (const PreparedPattern* const known = PreparedRules::Builtin().FindPattern(pattern)) {
    groups.insert(known->groups.begin(), known->groups.end());
    return true;
  }
  const RE2 re(pattern, PatternOptions());
  if (!re.ok()) {
    *error = "is no RE2 regular expression: " + re.error();
    return false;
  }
  if (re.NumberOfCapturingGroups() > kMaxGroups) {
    *error =
        fmt::format("has {} groups that capture; at most {} are allowed, write (?:...) for others",
                    re.NumberOfCapturingGroups(), kMaxGroups);
    return false;
  }
  // RE2 takes a name twice and then tells only of the leftmost: what the other one captures is
  // lost.
  for (const auto& [index, name] : re.CapturingGroupNames()) {
    if (groups.insert(name).second) continue;
    *error = fmt::format(
        "has two groups named \"{}\", of which only the first would be read; make two rules of it",
        name);
    return false;
  }
  return true;
}

class Checker {
 public:
  Checker(const RuleModel& model, const RulePlaces& places, std::vector<RulesetProblem>& problems)
      : model_(model), problems_(places, problems) {
    for (const CatalogEntry& entry : model.catalog) ids_.insert(entry.id);
    for (const TableRule& table : model.tables) tables_.insert(table.name);
  }

  void Run() {
    for (const CatalogEntry& entry : model_.catalog) CheckMessage(entry);
    for (const ExtractorRule& rule : model_.extractors) CheckExtractor(rule);
    for (const TableRule& table : model_.tables) CheckTable(table);
    for (const RefinerRule& rule : model_.refiners) CheckRefiner(rule);
    for (const CollectorRule& rule : model_.collectors) CheckCollector(rule);
    for (const TestRule& test : model_.tests) CheckTest(test);
    CheckCircles(model_, problems_);
  }

 private:
  void CheckSymptom(const std::string& id, const std::string& key, const std::string& field,
                    const std::string& rule) {
    if (id.empty() || ids_.contains(id)) return;
    problems_.Add(
        key, field, rule,
        fmt::format("symptom \"{}\" is not in the catalog; add it there or name another", id));
  }

  void CheckSymptoms(const std::vector<std::string>& ids, const RefinerRule& rule,
                     const std::string& field) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      CheckSymptom(ids[i], rule.path, fmt::format("{}[{}]", field, i), rule.name);
    }
  }

  // A placeholder that no rule can fill would stand as "(unknown)" in every verdict.
  void CheckMessage(const CatalogEntry& entry) {
    const std::string& text = entry.message;
    for (std::size_t open = text.find('{'); open != std::string::npos;
         open = text.find('{', open + 1)) {
      const std::size_t close = text.find('}', open);
      if (close == std::string::npos) return;
      const std::string name = text.substr(open + 1, close - open - 1);
      if (kGroups.contains(name)) continue;
      problems_.Add(PlaceKey("catalog", entry.id), "message", entry.id,
                    fmt::format("placeholder {{{}}} is not known; known are {}", name,
                                fmt::join(kGroups, ", ")));
    }
  }

  void CheckPattern(const std::string& pattern, const std::string& key, const std::string& field,
                    const std::string& rule, const std::vector<Need>& needs = {}) {
    if (pattern.empty()) return;
    std::set<std::string> groups;
    std::string error;
    if (!ReadGroups(pattern, groups, &error)) {
      problems_.Add(key, field, rule, error);
      return;
    }
    for (const std::string& name : groups) {
      if (kGroups.contains(name)) continue;
      problems_.Add(
          key, field, rule,
          fmt::format("group \"{}\" is not known; known are {}", name, fmt::join(kGroups, ", ")));
    }
    for (const Need& need : needs) {
      if (std::any_of(need.begin(), need.end(),
                      [&](const std::string& name) { return groups.contains(name); })) {
        continue;
      }
      problems_.Add(key, field, rule,
                    fmt::format("needs the group {}, as in (?P<{}>\\d+)", fmt::join(need, " or "),
                                need.front()));
    }
  }

  void CheckExtractor(const ExtractorRule& rule) {
    CheckSymptom(rule.symptom, rule.path, "symptom", rule.name);
    if (!rule.table.empty() && !tables_.contains(rule.table)) {
      problems_.Add(rule.path, "table", rule.name,
                    fmt::format("table \"{}\" does not exist; add it or name another", rule.table));
    }
    std::vector<Need> needs;
    if (!rule.table.empty()) needs.push_back({"code", "exception"});
    if (rule.counter) needs.push_back({"value"});
    CheckPattern(rule.match, rule.path, "match", rule.name, needs);
    CheckPattern(rule.unless, rule.path, "unless", rule.name);
    if (rule.record) {
      CheckPattern(rule.record->continue_pattern, rule.path, "record.continue", rule.name);
      CheckPattern(rule.record->require, rule.path, "record.require", rule.name);
    }
  }

  void CheckTable(const TableRule& table) {
    for (const auto& [code, symptom] : table.rows) {
      CheckSymptom(symptom, PlaceKey("tables", table.name), fmt::format("rows[{}].symptom", code),
                   table.name);
    }
  }

  void CheckRefiner(const RefinerRule& rule) {
    if (rule.explain) {
      CheckSymptom(rule.explain->cause, rule.path, "explain.cause", rule.name);
      CheckSymptoms(rule.explain->effects, rule, "explain.effects");
    }
    if (rule.combine) {
      CheckSymptoms(rule.combine->all, rule, "combine.all");
      CheckSymptoms(rule.combine->none, rule, "combine.none");
      CheckSymptom(rule.combine->result, rule.path, "combine.result", rule.name);
    }
    if (rule.escalate) {
      CheckSymptom(rule.escalate->symptom, rule.path, "escalate.symptom", rule.name);
      CheckSymptom(rule.escalate->result, rule.path, "escalate.result", rule.name);
    }
    if (rule.prefer) {
      CheckSymptom(rule.prefer->symptom, rule.path, "prefer.symptom", rule.name);
      CheckSymptoms(rule.prefer->over, rule, "prefer.over");
    }
  }

  void CheckCollector(const CollectorRule& rule) {
    std::vector<Need> needs;
    if (rule.take != CollectorRule::Take::kCount) needs.push_back({"value"});
    CheckPattern(rule.match, rule.path, "match", rule.name, needs);
  }

  void CheckTest(const TestRule& test) {
    CheckSymptom(test.expect.symptom.value_or(""), test.path, "expect.symptom", test.name);
  }

  const RuleModel& model_;
  PlacedProblems problems_;
  std::set<std::string> ids_;
  std::set<std::string> tables_;
};

}  // namespace

void CheckRules(const RuleModel& model, const RulePlaces& places,
                std::vector<RulesetProblem>& problems) {
  Checker(model, places, problems).Run();
}

}  // namespace engine
