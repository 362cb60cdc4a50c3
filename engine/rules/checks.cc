// SPDX-License-Identifier: Apache-2.0
#include "engine/rules/checks.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace engine {
namespace {

const std::set<std::string> kGroups = {"pci",  "uuid",  "gpu",   "rank", "node", "pid",
                                       "code", "errno", "value", "time", "file", "exception"};

class Checker {
 public:
  Checker(const RuleModel& model, const RulePlaces& places, std::vector<RulesetProblem>& problems,
          std::vector<RulesetProblem>& warnings)
      : model_(model), places_(places), problems_(problems), warnings_(warnings) {
    for (const CatalogEntry& entry : model.catalog) ids_.insert(entry.id);
    for (const TableRule& table : model.tables) tables_.insert(table.name);
  }

  void Run() {
    for (const ExtractorRule& rule : model_.extractors) CheckExtractor(rule);
    for (const TableRule& table : model_.tables) {
      for (const auto& [key, symptom] : table.rows) {
        CheckSymptom(symptom, {}, "tables[" + table.name + "].rows[" + key + "].symptom",
                     table.name);
      }
    }
    for (const RefinerRule& rule : model_.refiners) CheckRefiner(rule);
    for (const CollectorRule& rule : model_.collectors) CheckCollector(rule);
    CheckCircles();
    WarnOfTheUnreachable();
  }

 private:
  void Add(std::vector<RulesetProblem>& list, const std::string& rule_path,
           const std::string& field, const std::string& rule, const std::string& message) {
    if (list.size() >= kMaxProblems) return;
    const auto place = places_.find(rule_path);
    RulesetProblem problem{.rule = rule, .message = message};
    if (place == places_.end()) {
      problem.path = field;
    } else {
      problem.file = place->second.file;
      problem.path = place->second.path + (field.empty() ? "" : '.' + field);
      problem.line = place->second.line;
      problem.column = place->second.column;
    }
    list.push_back(std::move(problem));
  }

  void CheckSymptom(const std::string& id, const std::string& rule_path, const std::string& field,
                    const std::string& rule) {
    if (id.empty() || ids_.contains(id)) return;
    Add(problems_, rule_path, field, rule,
        fmt::format("symptom \"{}\" is not in the catalog; add it there or name another", id));
  }

  void CheckPattern(const std::string& pattern, const std::string& rule_path,
                    const std::string& field, const std::string& rule, bool needs_value,
                    bool needs_code) {
    if (pattern.empty()) return;
    RE2::Options options;
    options.set_log_errors(false);
    const RE2 re(pattern, options);
    if (!re.ok()) {
      Add(problems_, rule_path, field, rule,
          fmt::format("is no RE2 regular expression: {}", re.error()));
      return;
    }
    const auto& groups = re.NamedCapturingGroups();
    for (const auto& [name, index] : groups) {
      if (kGroups.contains(name)) continue;
      Add(problems_, rule_path, field, rule,
          fmt::format("group \"{}\" is not known; known are {}", name, fmt::join(kGroups, ", ")));
    }
    if (needs_value && !groups.contains("value")) {
      Add(problems_, rule_path, field, rule, "needs the group `value`: (?P<value>...)");
    }
    if (needs_code && !groups.contains("code") && !groups.contains("exception")) {
      Add(problems_, rule_path, field, rule,
          "needs the group `code` (or `exception`), which is looked up in the table");
    }
  }

  void CheckExtractor(const ExtractorRule& rule) {
    CheckSymptom(rule.symptom, rule.path, "symptom", rule.name);
    if (!rule.table.empty() && !tables_.contains(rule.table)) {
      Add(problems_, rule.path, "table", rule.name,
          fmt::format("table \"{}\" does not exist", rule.table));
    }
    CheckPattern(rule.match, rule.path, "match", rule.name, rule.counter.has_value(),
                 !rule.table.empty());
    CheckPattern(rule.unless, rule.path, "unless", rule.name, false, false);
    if (rule.record) {
      CheckPattern(rule.record->continue_pattern, rule.path, "record.continue", rule.name, false,
                   false);
      CheckPattern(rule.record->require, rule.path, "record.require", rule.name, false, false);
    }
  }

  void CheckRefiner(const RefinerRule& rule) {
    const auto check = [&](const std::string& id, const std::string& field) {
      CheckSymptom(id, rule.path, field, rule.name);
    };
    if (rule.explain) {
      check(rule.explain->cause, "explain.cause");
      for (const std::string& id : rule.explain->effects) check(id, "explain.effects");
    }
    if (rule.combine) {
      for (const std::string& id : rule.combine->all) check(id, "combine.all");
      for (const std::string& id : rule.combine->none) check(id, "combine.none");
      check(rule.combine->result, "combine.result");
    }
    if (rule.escalate) {
      check(rule.escalate->symptom, "escalate.symptom");
      check(rule.escalate->result, "escalate.result");
    }
    if (rule.prefer) {
      check(rule.prefer->symptom, "prefer.symptom");
      for (const std::string& id : rule.prefer->over) check(id, "prefer.over");
    }
  }

  void CheckCollector(const CollectorRule& rule) {
    CheckPattern(rule.match, rule.path, "match", rule.name,
                 rule.take != CollectorRule::Take::kCount, false);
  }

  // A symptom that explains itself over any way would leave nothing unexplained.
  void CheckCircles() {
    std::map<std::string, std::set<std::string>> effects;
    std::map<std::string, const RefinerRule*> by_cause;
    for (const RefinerRule& rule : model_.refiners) {
      if (!rule.explain) continue;
      by_cause.emplace(rule.explain->cause, &rule);
      for (const std::string& effect : rule.explain->effects) {
        effects[rule.explain->cause].insert(effect);
      }
    }
    std::map<std::string, int> state;  // 1: being visited, 2: done
    const std::function<bool(const std::string&)> visit = [&](const std::string& id) {
      int& mark = state[id];
      if (mark == 1) return true;
      if (mark == 2) return false;
      mark = 1;
      for (const std::string& effect : effects[id]) {
        if (!visit(effect)) continue;
        state[id] = 2;
        return true;
      }
      state[id] = 2;
      return false;
    };
    for (const auto& [cause, rule] : by_cause) {
      if (!visit(cause)) continue;
      Add(problems_, rule->path, "explain", rule->name,
          fmt::format("\"{}\" explains itself through other explanations; break the circle",
                      cause));
      return;
    }
  }

  void WarnOfTheUnreachable() {
    std::set<std::string> produced;
    for (const ExtractorRule& rule : model_.extractors) produced.insert(rule.symptom);
    for (const TableRule& table : model_.tables) {
      for (const auto& [key, symptom] : table.rows) produced.insert(symptom);
    }
    for (const RefinerRule& rule : model_.refiners) {
      if (rule.combine) produced.insert(rule.combine->result);
      if (rule.escalate) produced.insert(rule.escalate->result);
    }
    for (const CatalogEntry& entry : model_.catalog) {
      if (produced.contains(entry.id)) continue;
      Add(warnings_, {}, "catalog", entry.id, "no rule produces this symptom");
    }
  }

  const RuleModel& model_;
  const RulePlaces& places_;
  std::vector<RulesetProblem>& problems_;
  std::vector<RulesetProblem>& warnings_;
  std::set<std::string> ids_;
  std::set<std::string> tables_;
};

}  // namespace

void CheckRules(const RuleModel& model, const RulePlaces& places,
                std::vector<RulesetProblem>& problems, std::vector<RulesetProblem>& warnings) {
  Checker(model, places, problems, warnings).Run();
}

}  // namespace engine
