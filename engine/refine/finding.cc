// SPDX-License-Identifier: Apache-2.0
#include "engine/refine/finding.h"

#include <utility>

namespace engine {

Refinement::Refinement(const CompiledRuleset& rules, const Workload& subject, const History& past,
                       std::map<Source, EvidenceReport> read, std::vector<Finding> selected)
    : ruleset(rules),
      workload(subject),
      history(past),
      evidence(std::move(read)),
      findings(std::move(selected)) {
  for (std::size_t i = 0; i < findings.size(); ++i) {
    by_symptom_[findings[i].event.symptom].push_back(static_cast<int>(i));
  }
}

const std::vector<int>& Refinement::Of(const std::string& symptom) const {
  static const std::vector<int> nothing;
  const auto found = by_symptom_.find(symptom);
  return found == by_symptom_.end() ? nothing : found->second;
}

bool Refinement::IsComplete(Source source) const {
  const auto found = evidence.find(source);
  if (found == evidence.end()) return false;
  const EvidenceReport& report = found->second;
  return report.complete > 0 && report.partial == 0 && report.missing == 0 && report.forbidden == 0;
}

void Refinement::AddDerived(Event event, const std::vector<int>& parts) {
  const CatalogEntry* const entry = ruleset.FindSymptom(event.symptom);
  const int index = static_cast<int>(findings.size());
  by_symptom_[event.symptom].push_back(index);
  findings.push_back({std::move(event), entry});
  for (const int part : parts) {
    Finding& finding = findings[static_cast<std::size_t>(part)];
    if (finding.explained_by < 0) finding.explained_by = index;
  }
}

bool SameNode(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const std::string& shorter = a.size() < b.size() ? a : b;
  const std::string& longer = a.size() < b.size() ? b : a;
  return !shorter.empty() && longer.size() > shorter.size() && longer.starts_with(shorter) &&
         longer[shorter.size()] == '.';
}

namespace {

// The last moment at which it can have been.
Time LatestTime(const Event& event) {
  constexpr std::chrono::seconds kSecond{1};
  const bool whole_second = event.time.time_since_epoch() % kSecond == kSecond.zero();
  return whole_second ? event.time + kSecond - std::chrono::nanoseconds(1) : event.time;
}

}  // namespace

bool CertainlyBefore(const Event& a, const Event& b) {
  if (a.stream == b.stream) {
    if (a.clock == b.clock && a.clock != Clock::kNone && a.time != b.time) return a.time < b.time;
    return a.line_number < b.line_number;
  }
  if (a.clock != b.clock || a.clock == Clock::kNone) return false;
  const bool same_node = !a.node.empty() && SameNode(a.node, b.node);
  if (a.time_is_floor || (a.clock == Clock::kBoot && !same_node)) return false;
  return same_node ? LatestTime(a) < b.time : b.time - LatestTime(a) > kClockSkew;
}

bool IsExplainedBy(const std::vector<Finding>& findings, int index, int other) {
  // What explains makes no circle, so that this ends.
  for (; index >= 0; index = findings[static_cast<std::size_t>(index)].explained_by) {
    if (index == other) return true;
  }
  return false;
}

bool SamePlace(Scope scope, const Event& a, const Event& b) {
  switch (scope) {
    case Scope::kProcess:
      return a.stream == b.stream || (a.rank && b.rank && *a.rank == *b.rank);
    case Scope::kGpu: {
      if (!a.node.empty() && !b.node.empty() && !SameNode(a.node, b.node)) return false;
      if (!a.pci_address.empty() && !b.pci_address.empty()) return a.pci_address == b.pci_address;
      if (!a.gpu_uuid.empty() && !b.gpu_uuid.empty()) return a.gpu_uuid == b.gpu_uuid;
      return a.gpu_index && b.gpu_index && *a.gpu_index == *b.gpu_index;
    }
    case Scope::kNode:
      return a.node.empty() || b.node.empty() || SameNode(a.node, b.node);
    case Scope::kFabric:
    case Scope::kWorkload:
    case Scope::kPool:
      return true;
  }
  return true;
}

Scope ScopeOf(const CatalogEntry& entry) {
  if (entry.scope == "Process") return Scope::kProcess;
  if (entry.scope == "GPU") return Scope::kGpu;
  if (entry.scope == "Node") return Scope::kNode;
  if (entry.scope == "Fabric") return Scope::kFabric;
  return Scope::kWorkload;
}

}  // namespace engine
