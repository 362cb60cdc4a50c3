// SPDX-License-Identifier: Apache-2.0
// A symptom event with what the catalog says of it, on its way to being root, consequence or noise.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/attribution.h"
#include "engine/extract/event.h"
#include "engine/history.h"
#include "engine/rules/compiled_ruleset.h"
#include "engine/workload.h"

namespace engine {

struct Finding {
  Event event;
  const CatalogEntry* entry = nullptr;  // never null; of the ruleset
  int explained_by = -1;                // index of another finding; -1: unexplained
};

// What all stages of refinement look at. References must outlive it.
struct Refinement {
  Refinement(const CompiledRuleset& rules, const Workload& subject, const History& past,
             std::map<Source, EvidenceReport> read, std::vector<Finding> selected);

  const CompiledRuleset& ruleset;
  const Workload& workload;
  const History& history;
  const std::map<Source, EvidenceReport> evidence;
  std::vector<Finding> findings;  // in the order of Earlier(); derived ones behind

  const Event& EventAt(int index) const { return findings[static_cast<std::size_t>(index)].event; }
  // The findings of a symptom, ascending. Valid until the next AddDerived.
  const std::vector<int>& Of(const std::string& symptom) const;
  // Every stream of the source was read to its end, and there was at least one.
  bool IsComplete(Source source) const;
  // Adds a derived finding; what it is made of is explained by it.
  void AddDerived(Event event, const std::vector<int>& parts);

 private:
  std::map<std::string, std::vector<int>> by_symptom_;
};

// Clocks of different nodes may disagree by this much.
inline constexpr std::chrono::seconds kClockSkew{2};

// Whether `a` was certainly before `b`: by position within a stream, by time within a node, by more
// than the clocks' skew between nodes. A time in whole seconds is the second's beginning, and a
// line without a time of its own may be any amount younger than the one above it.
bool CertainlyBefore(const Event& a, const Event& b);

// Whether `index` is explained by `other`, directly or through others.
bool IsExplainedBy(const std::vector<Finding>& findings, int index, int other);

// Whether both are at the same place of that kind. Unknown nodes are taken for the same, unknown
// GPUs are not.
bool SamePlace(Scope scope, const Event& a, const Event& b);

// The scope of a symptom by the catalog's word.
Scope ScopeOf(const CatalogEntry& entry);

// "gpu-7" and "gpu-7.cluster.example" are the same node.
bool SameNode(const std::string& a, const std::string& b);

}  // namespace engine
