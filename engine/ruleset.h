// SPDX-License-Identifier: Apache-2.0
// Rules: loaded from text, checked, merged in order, compiled once and then shared by any number
// of cases and threads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/attribution.h"

namespace engine {

// What a ruleset's minEngineVersion is compared with: rises with what rules can say (the first
// number when rules written before may mean something else).
inline constexpr std::string_view kEngineVersion = "1.0.0";

// Something wrong with a ruleset. `path` is where in the document ("spec.extractors[3].match"),
// `rule` the entry's name or id, `message` says what and the remedy (RE2's own words for a bad
// pattern). line and column are 1-based in the file that was loaded, 0 when unknown.
struct RulesetProblem {
  std::string file;
  std::string path;
  std::string rule;
  std::string message;
  int line = 0;
  int column = 0;
};

// What the catalog says of a symptom, for callers that act on verdicts.
struct CatalogEntry {
  std::string id;
  std::string title;
  Domain domain = Domain::kUnknown;
  Role role = Role::kRoot;
  std::string scope;  // Process | GPU | Node | Fabric | Workload
  std::vector<Source> established_by;
  std::string workload_inducible;  // "Yes" | "No" | "Unknown"
  bool taint = false;
  Result result = Result::kFailed;  // Cancelled: an ending somebody asked for; Succeeded: none
  std::string actor;                // kind of the actor for Cancelled
  std::string message;              // with {pci}, {node}, ... placeholders
  std::vector<std::string> actions;
  std::vector<std::string> references;
};

// A document to load: an AttributionRuleset object, or only its spec; YAML or JSON, one or several
// ("---") in a text.
struct RulesetDocument {
  std::string name;  // file name or ruleset name, used in problems
  std::string text;
};

class Ruleset;

struct RulesetLoad {
  std::shared_ptr<const Ruleset> ruleset;  // null if problems is not empty
  std::vector<RulesetProblem> problems;    // errors; at most 100
  std::vector<RulesetProblem> warnings;
};

// A compiled ruleset. Immutable and safe to use from any thread.
class Ruleset {
 public:
  // Loads and merges the documents in order (later wins by name or id), checks every reference
  // against the merged catalog, compiles. Hostile input is refused by limits on size, depth,
  // aliases and pattern cost. Never throws.
  static RulesetLoad Load(const std::vector<RulesetDocument>& documents);

  // The rules compiled into the program.
  static const std::vector<RulesetDocument>& BuiltinDocuments();

  virtual ~Ruleset() = default;

  // nullptr when the id is not in the catalog.
  virtual const CatalogEntry* FindSymptom(std::string_view id) const = 0;
  virtual std::vector<const CatalogEntry*> Catalog() const = 0;
  virtual std::size_t RuleCount() const = 0;  // extractors, refiners, collectors and table rows
  // "sha256:..." over the canonical form of the merged documents.
  virtual const std::string& Digest() const = 0;

 protected:
  Ruleset() = default;
};

// One failed example or whole-case test.
struct RulesetTestFailure {
  std::string path;
  std::string rule;
  std::string message;  // expected and got
};

struct RulesetTestReport {
  std::int64_t passed = 0;
  std::vector<RulesetTestFailure> failures;
};

// Runs every embedded example and whole-case test of the ruleset; with `document`, only those that
// this document brought (over all rules that were merged).
RulesetTestReport RunEmbeddedTests(const std::shared_ptr<const Ruleset>& ruleset,
                                   const std::string& document = {});

}  // namespace engine
