// SPDX-License-Identifier: Apache-2.0
#include "engine/refine/select.h"

#include <algorithm>
#include <utility>

#include "engine/extract/pci_address.h"

namespace engine {
namespace {

bool InWindow(const Event& event, const Workload& workload) {
  if (!event.has_time()) return true;
  // Repeats are folded over the earliest: one of them may still be inside.
  if (workload.start && !event.time_is_floor && event.last_time < *workload.start - kBeforeWindow) {
    return false;
  }
  return !workload.end || event.time <= *workload.end + kAfterWindow;
}

bool OnItsNodes(const Event& event, const Workload& workload) {
  if (workload.nodes.empty() || event.node.empty()) return true;
  return std::any_of(workload.nodes.begin(), workload.nodes.end(),
                     [&](const std::string& node) { return SameNode(node, event.node); });
}

bool IsSaidByTheNode(Source source) {
  return source == Source::kKernel || source == Source::kSyslog || source == Source::kKubelet ||
         source == Source::kNodeCondition || source == Source::kNodeMetric;
}

// A retry elsewhere left the node to others.
bool DuringAStay(const Event& event, const Workload& workload) {
  if (!event.has_time() || !IsSaidByTheNode(event.source)) return true;
  bool known = false;
  for (const Stay& stay : workload.stays) {
    if (!SameNode(stay.node, event.node)) continue;
    known = true;
    const bool begun = event.time_is_floor || event.last_time >= stay.from - kBeforeWindow;
    if (begun && (!stay.to || event.time <= *stay.to + kAfterWindow)) return true;
  }
  return !known;
}

void FillInGpu(Event& event, const Workload& workload) {
  for (const Gpu& gpu : workload.gpus) {
    if (!SameNode(gpu.node, event.node)) continue;
    const std::string pci = NormalPciAddress(gpu.pci_address);
    const bool same = (!pci.empty() && pci == event.pci_address) ||
                      (!gpu.uuid.empty() && gpu.uuid == event.gpu_uuid);
    if (!same) continue;
    if (event.pci_address.empty()) event.pci_address = pci;
    if (event.gpu_uuid.empty()) event.gpu_uuid = gpu.uuid;
    return;
  }
}

bool OnItsGpus(const Event& event, const CatalogEntry& entry, const Workload& workload) {
  if (ScopeOf(entry) != Scope::kGpu || (event.pci_address.empty() && event.gpu_uuid.empty())) {
    return true;
  }
  const bool known =
      std::any_of(workload.nodes_with_known_gpus.begin(), workload.nodes_with_known_gpus.end(),
                  [&](const std::string& node) { return SameNode(node, event.node); });
  if (!known) return true;
  return std::any_of(workload.gpus.begin(), workload.gpus.end(), [&](const Gpu& gpu) {
    return SameNode(gpu.node, event.node) &&
           ((!event.pci_address.empty() &&
             NormalPciAddress(gpu.pci_address) == event.pci_address) ||
            (!event.gpu_uuid.empty() && gpu.uuid == event.gpu_uuid));
  });
}

}  // namespace

std::vector<Finding> SelectFindings(const CompiledRuleset& ruleset, const Workload& workload,
                                    std::vector<Event> events, const Limits& limits) {
  EventSet folded(limits.symptoms_per_kind, limits.symptoms);
  // Folding in one order makes what it keeps independent of the order of the streams.
  std::sort(events.begin(), events.end(), Earlier);
  for (Event& event : events) {
    const CatalogEntry* const entry = ruleset.FindSymptom(event.symptom);
    if (entry == nullptr || !InWindow(event, workload) || !OnItsNodes(event, workload) ||
        !DuringAStay(event, workload)) {
      continue;
    }
    FillInGpu(event, workload);
    if (!OnItsGpus(event, *entry, workload)) continue;
    folded.Add(std::move(event));
  }
  std::vector<Finding> findings;
  for (const Event* event : folded.All()) {
    findings.push_back({*event, ruleset.FindSymptom(event->symptom)});
  }
  return findings;
}

}  // namespace engine
