// SPDX-License-Identifier: Apache-2.0
// A ruleset's documents merged and checked, as plain values: what the loader makes and what
// extraction, refinement and the embedded tests read. Within the engine only.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/ruleset.h"
#include "engine/source.h"

namespace engine {

// What an extractor, refiner or escalation compares places by.
enum class Scope { kProcess, kGpu, kNode, kFabric, kWorkload, kPool };

// Lines that belong to one record: the first is the one that `match` hits, each further line of the
// same stream matches `continue_pattern`; the record is a hit only if `require` is found in it.
struct RecordRule {
  std::string continue_pattern;
  std::string require;  // empty: none
  int max_lines = 8;
  double max_seconds = 2;
};

// A hit only when `value` rose by at least `increase_at_least` within the time, at one place.
struct CounterRule {
  double increase_at_least = 1;
  double within_seconds = 3600;
  Scope scope = Scope::kNode;
};

struct ExtractorRule {
  std::string name;
  std::string symptom;  // empty with a table
  std::string table;    // empty: symptom is fixed
  std::vector<Source> sources;
  std::string match;   // RE2
  std::string unless;  // RE2; empty: none
  std::optional<RecordRule> record;
  std::optional<CounterRule> counter;
  std::vector<std::string> examples_match;  // lines of a record are joined by '\n'
  std::vector<std::string> examples_no_match;
  std::string path;  // "10-cuda: spec.extractors[3]"
};

struct TableRule {
  std::string name;
  std::map<std::string, std::string> rows;  // key -> symptom id
};

struct ExplainRule {
  std::string cause;
  std::vector<std::string> effects;
  Scope scope = Scope::kWorkload;
  double before_seconds = 7200;  // the cause stands at most this long before an effect ...
  double after_seconds = 10;     // ... or is printed at most this long after it
};

struct CombineRule {
  std::vector<std::string> all;
  std::vector<std::string> none;
  std::vector<Source> coverage;   // absence counts only where these are complete
  bool all_but_one_rank = false;  // ranks: AllButOne
  Scope scope = Scope::kWorkload;
  double within_seconds = 0;  // 0: anywhere in the window
  std::string result;
};

struct EscalateRule {
  enum class Distinct { kNone, kTenant, kNode, kGpu };
  std::string symptom;
  int at_least = 1;
  Distinct distinct = Distinct::kNone;
  Scope scope = Scope::kGpu;
  double within_seconds = 0;
  std::string result;
};

// Of two unexplained roots that tie, `over` yields to `symptom`.
struct PreferRule {
  std::string symptom;
  std::vector<std::string> over;
  Scope scope = Scope::kWorkload;
};

// Exactly one of the four is set.
struct RefinerRule {
  std::string name;
  std::optional<ExplainRule> explain;
  std::optional<CombineRule> combine;
  std::optional<EscalateRule> escalate;
  std::optional<PreferRule> prefer;
  std::string path;
};

struct CollectorRule {
  enum class Take { kFirst, kLast, kCount, kAll };
  std::string name;
  std::vector<Source> sources;
  std::string match;
  Take take = Take::kFirst;
  std::string path;
};

struct TestEvidence {
  Source source = Source::kAppLog;
  std::string node;
  std::string object;
  std::vector<std::string> lines;
};

struct TestExpectation {
  std::optional<std::string> result;
  std::optional<std::string> domain;
  std::optional<std::string> symptom;
  std::optional<std::string> node;
  std::optional<std::string> taint;  // "Yes" | "No"
  std::optional<std::string> evidence_level;
  std::optional<std::string> uncertainty;
  std::optional<std::string> rule;
};

struct TestRule {
  std::string name;
  std::vector<TestEvidence> evidence;
  TestExpectation expect;
  std::string path;
};

// Lists keep the merged order: that of first appearance.
struct RuleModel {
  std::vector<CatalogEntry> catalog;
  std::vector<ExtractorRule> extractors;
  std::vector<TableRule> tables;
  std::vector<RefinerRule> refiners;
  std::vector<CollectorRule> collectors;
  std::vector<TestRule> tests;
};

}  // namespace engine
