// SPDX-License-Identifier: Apache-2.0
#include "engine/refine/root.h"

#include <algorithm>

namespace engine {
namespace {

// The candidates that no other candidate is certainly before.
std::vector<int> Earliest(const Refinement& refinement, Role role) {
  std::vector<int> candidates;
  for (std::size_t i = 0; i < refinement.findings.size(); ++i) {
    const Finding& finding = refinement.findings[i];
    if (finding.explained_by < 0 && finding.entry->role == role) {
      candidates.push_back(static_cast<int>(i));
    }
  }
  const auto event = [&](int i) -> const Event& {
    return refinement.findings[static_cast<std::size_t>(i)].event;
  };
  std::vector<int> earliest;
  for (const int candidate : candidates) {
    const bool beaten = std::any_of(candidates.begin(), candidates.end(), [&](int other) {
      return CertainlyBefore(event(other), event(candidate));
    });
    if (!beaten) earliest.push_back(candidate);
  }
  // "Certainly before" need not be transitive over several clocks.
  if (earliest.empty()) earliest = std::move(candidates);
  std::sort(earliest.begin(), earliest.end(),
            [&](int a, int b) { return Earlier(event(a), event(b)); });
  return earliest;
}

void Prefer(const Refinement& refinement, std::vector<int>& tied) {
  for (const RefinerRule& refiner : refinement.ruleset.model().refiners) {
    if (!refiner.prefer) continue;
    const PreferRule& rule = *refiner.prefer;
    const auto finding = [&](int i) -> const Finding& {
      return refinement.findings[static_cast<std::size_t>(i)];
    };
    for (const int kept : std::vector<int>(tied)) {
      if (finding(kept).event.symptom != rule.symptom) continue;
      tied.erase(
          std::remove_if(tied.begin(), tied.end(),
                         [&](int other) {
                           return other != kept &&
                                  std::find(rule.over.begin(), rule.over.end(),
                                            finding(other).event.symptom) != rule.over.end() &&
                                  SamePlace(rule.scope, finding(kept).event, finding(other).event);
                         }),
          tied.end());
    }
  }
}

bool OneDomain(const Refinement& refinement, const std::vector<int>& tied) {
  const auto domain = [&](int i) {
    return refinement.findings[static_cast<std::size_t>(i)].entry->domain;
  };
  return std::all_of(tied.begin(), tied.end(),
                     [&](int i) { return domain(i) == domain(tied.front()); });
}

// Whether the GPU of an event is known to have been the workload's.
bool IsItsGpu(const Refinement& refinement, const Event& event) {
  const Workload& workload = refinement.workload;
  // Without a list of nodes the evidence was brought together by a person, for this workload.
  if (workload.nodes.empty()) return true;
  const auto named = [&](const std::vector<std::string>& nodes) {
    return std::any_of(nodes.begin(), nodes.end(),
                       [&](const std::string& node) { return SameNode(node, event.node); });
  };
  if (named(workload.exclusive_nodes)) return true;
  // What was not its GPU on a node whose GPUs are known has been left out before.
  return named(workload.nodes_with_known_gpus) &&
         (!event.pci_address.empty() || !event.gpu_uuid.empty());
}

}  // namespace

RootChoice ChooseRoot(const Refinement& refinement) {
  RootChoice choice;
  std::vector<int> tied = Earliest(refinement, Role::kRoot);
  if (tied.empty()) {
    tied = Earliest(refinement, Role::kAmbiguous);
    choice.ambiguous = !tied.empty();
  }
  if (tied.empty()) return choice;
  Prefer(refinement, tied);
  // Of those that fit equally well, the one that is best proven speaks for all.
  std::stable_sort(tied.begin(), tied.end(), [&](int a, int b) {
    return refinement.findings[static_cast<std::size_t>(a)].event.trust >
           refinement.findings[static_cast<std::size_t>(b)].event.trust;
  });
  choice.root = tied.front();
  choice.others.assign(tied.begin() + 1, tied.end());
  if (!OneDomain(refinement, tied)) {
    choice.ambiguous = true;
    choice.tied = true;
  }
  return choice;
}

namespace {

// Whoever can write the source, or is not on the node, cannot prove that a device is broken,
// whatever a catalog says.
bool CanProveFaults(Source source) {
  switch (source) {
    case Source::kKernel:
    case Source::kKubelet:
    case Source::kNodeCondition:
    case Source::kNodeMetric:
      return true;
    case Source::kAppLog:
    case Source::kSyslog:
    case Source::kPodStatus:
    case Source::kEvent:
    case Source::kScheduler:
      return false;
  }
  return false;
}

}  // namespace

EvidenceLevel LevelOf(const Refinement& refinement, const Finding& root) {
  const CatalogEntry& entry = *root.entry;
  const Event& event = root.event;
  const bool proves = std::find(entry.established_by.begin(), entry.established_by.end(),
                                event.source) != entry.established_by.end();
  if (!proves && event.trust == Trust::kWorkload) return EvidenceLevel::kHypothesis;
  if (!proves || event.trust == Trust::kWorkload || entry.role != Role::kRoot) {
    return EvidenceLevel::kSupported;
  }
  if (entry.domain == Domain::kHardware || entry.taint) {
    // What a program can bring about proves nothing about the device.
    if (!CanProveFaults(event.source) || entry.workload_inducible == "Yes") {
      return EvidenceLevel::kSupported;
    }
  }
  const Scope scope = ScopeOf(entry);
  const bool needs_node = scope == Scope::kGpu || scope == Scope::kNode;
  if (needs_node && event.node.empty()) return EvidenceLevel::kSupported;
  if (scope == Scope::kGpu && !IsItsGpu(refinement, event)) return EvidenceLevel::kSupported;
  return EvidenceLevel::kEstablished;
}

}  // namespace engine
