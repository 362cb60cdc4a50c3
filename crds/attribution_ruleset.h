// SPDX-License-Identifier: Apache-2.0
// The AttributionRuleset resource: attributionrulesets.yaml beside this file is its schema, and
// says what each field means. What the rules mean is the engine's business, which reads the
// object's text by itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "crds/condition.h"

namespace crds {

struct RulesetCatalogEntry {
  std::string id;
  std::string title;
  std::string domain;
  std::string role;
  std::string scope;
  std::vector<std::string> established_by;
  std::string workload_inducible;
  std::string taint;
  std::string result;
  std::string actor;
  std::string message;
  std::vector<std::string> actions;
  std::vector<std::string> references;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("id", self.id);
    visit("title", self.title);
    visit("domain", self.domain);
    visit("role", self.role);
    visit("scope", self.scope);
    visit("establishedBy", self.established_by);
    visit("workloadInducible", self.workload_inducible);
    visit("taint", self.taint);
    visit("result", self.result);
    visit("actor", self.actor);
    visit("message", self.message);
    visit("actions", self.actions);
    visit("references", self.references);
  }
};

struct RulesetExamples {
  std::vector<std::string> match;
  std::vector<std::string> no_match;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("match", self.match);
    visit("noMatch", self.no_match);
  }
};

struct RulesetRecord {
  std::string continue_pattern;
  std::string require;
  std::optional<std::int64_t> max_lines;
  std::optional<std::int64_t> max_seconds;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("continue", self.continue_pattern);
    visit("require", self.require);
    visit("maxLines", self.max_lines);
    visit("maxSeconds", self.max_seconds);
  }
};

struct RulesetCounter {
  std::optional<std::int64_t> increase_at_least;
  std::optional<std::int64_t> within_seconds;
  std::string scope;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("increaseAtLeast", self.increase_at_least);
    visit("withinSeconds", self.within_seconds);
    visit("scope", self.scope);
  }
};

struct RulesetExtractor {
  std::string name;
  std::string symptom;
  std::string table;
  std::vector<std::string> sources;
  std::string match;
  std::string unless;
  std::optional<RulesetRecord> record;
  std::optional<RulesetCounter> counter;
  RulesetExamples examples;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("name", self.name);
    visit("symptom", self.symptom);
    visit("table", self.table);
    visit("sources", self.sources);
    visit("match", self.match);
    visit("unless", self.unless);
    visit("record", self.record);
    visit("counter", self.counter);
    visit("examples", self.examples);
  }
};

struct RulesetTableRow {
  std::string key;
  std::string symptom;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("key", self.key);
    visit("symptom", self.symptom);
  }
};

struct RulesetTable {
  std::string name;
  std::vector<RulesetTableRow> rows;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("name", self.name);
    visit("rows", self.rows);
  }
};

struct RulesetExplain {
  std::string cause;
  std::vector<std::string> effects;
  std::string scope;
  std::optional<std::int64_t> before_seconds;
  std::optional<std::int64_t> after_seconds;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("cause", self.cause);
    visit("effects", self.effects);
    visit("scope", self.scope);
    visit("beforeSeconds", self.before_seconds);
    visit("afterSeconds", self.after_seconds);
  }
};

struct RulesetCombine {
  std::vector<std::string> all;
  std::vector<std::string> none;
  std::vector<std::string> coverage;
  std::string ranks;
  std::string scope;
  std::optional<std::int64_t> within_seconds;
  std::string result;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("all", self.all);
    visit("none", self.none);
    visit("coverage", self.coverage);
    visit("ranks", self.ranks);
    visit("scope", self.scope);
    visit("withinSeconds", self.within_seconds);
    visit("result", self.result);
  }
};

struct RulesetEscalate {
  std::string symptom;
  std::optional<std::int64_t> at_least;
  std::string distinct;
  std::string scope;
  std::optional<std::int64_t> within_seconds;
  std::string result;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("symptom", self.symptom);
    visit("atLeast", self.at_least);
    visit("distinct", self.distinct);
    visit("scope", self.scope);
    visit("withinSeconds", self.within_seconds);
    visit("result", self.result);
  }
};

struct RulesetPrefer {
  std::string symptom;
  std::vector<std::string> over;
  std::string scope;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("symptom", self.symptom);
    visit("over", self.over);
    visit("scope", self.scope);
  }
};

struct RulesetRefiner {
  std::string name;
  std::optional<RulesetExplain> explain;
  std::optional<RulesetCombine> combine;
  std::optional<RulesetEscalate> escalate;
  std::optional<RulesetPrefer> prefer;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("name", self.name);
    visit("explain", self.explain);
    visit("combine", self.combine);
    visit("escalate", self.escalate);
    visit("prefer", self.prefer);
  }
};

struct RulesetCollector {
  std::string name;
  std::vector<std::string> sources;
  std::string match;
  std::string take;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("name", self.name);
    visit("sources", self.sources);
    visit("match", self.match);
    visit("take", self.take);
  }
};

struct RulesetTestEvidence {
  std::string source;
  std::string node;
  std::string object;
  std::vector<std::string> lines;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("source", self.source);
    visit("node", self.node);
    visit("object", self.object);
    visit("lines", self.lines);
  }
};

struct RulesetTestExpectation {
  std::string result;
  std::string domain;
  std::string symptom;
  std::string node;
  std::string taint;
  std::string evidence_level;
  std::string uncertainty;
  std::string rule;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("result", self.result);
    visit("domain", self.domain);
    visit("symptom", self.symptom);
    visit("node", self.node);
    visit("taint", self.taint);
    visit("evidenceLevel", self.evidence_level);
    visit("uncertainty", self.uncertainty);
    visit("rule", self.rule);
  }
};

struct RulesetTest {
  std::string name;
  std::vector<RulesetTestEvidence> evidence;
  RulesetTestExpectation expect;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("name", self.name);
    visit("evidence", self.evidence);
    visit("expect", self.expect);
  }
};

struct AttributionRulesetSpec {
  std::string min_engine_version;
  std::vector<RulesetCatalogEntry> catalog;
  std::vector<RulesetExtractor> extractors;
  std::vector<RulesetTable> tables;
  std::vector<RulesetRefiner> refiners;
  std::vector<RulesetCollector> collectors;
  std::vector<RulesetTest> tests;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("minEngineVersion", self.min_engine_version);
    visit("catalog", self.catalog);
    visit("extractors", self.extractors);
    visit("tables", self.tables);
    visit("refiners", self.refiners);
    visit("collectors", self.collectors);
    visit("tests", self.tests);
  }
};

struct AcceptedRuleset {
  std::int64_t generation = 0;
  std::string digest;
  std::string revision;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("generation", self.generation);
    visit("digest", self.digest);
    visit("revision", self.revision);
  }
};

struct RulesetFailure {
  std::string path;
  std::string rule;
  std::string message;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("path", self.path);
    visit("rule", self.rule);
    visit("message", self.message);
  }
};

struct AttributionRulesetStatus {
  std::int64_t observed_generation = 0;
  std::vector<Condition> conditions;
  std::int64_t rules = 0;
  std::optional<AcceptedRuleset> accepted;
  std::vector<RulesetFailure> failures;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("observedGeneration", self.observed_generation);
    visit("conditions", self.conditions);
    visit("rules", self.rules);
    visit("accepted", self.accepted);
    visit("failures", self.failures);
  }
};

struct AttributionRuleset {
  AttributionRulesetSpec spec;
  AttributionRulesetStatus status;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("spec", self.spec);
    visit("status", self.status);
  }
};

}  // namespace crds
