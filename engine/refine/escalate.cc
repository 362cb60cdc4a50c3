// SPDX-License-Identifier: Apache-2.0
#include "engine/refine/escalate.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <string>

#include "engine/extract/pci_address.h"
#include "engine/history.h"

namespace engine {
namespace {

Event PlaceOfPast(const PastSymptom& past) {
  Event event;
  event.symptom = past.symptom;
  event.node = past.node;
  event.gpu_uuid = past.gpu_uuid;
  event.pci_address = NormalPciAddress(past.pci_address);
  event.clock = Clock::kAbsolute;
  event.time = past.time;
  return event;
}

std::string GpuOf(const Event& event) {
  return event.node + '/' + (event.pci_address.empty() ? event.gpu_uuid : event.pci_address);
}

// Counts what is the same as `anchor` at the same place and in time. Without `distinct` each
// occurrence counts; tenants only exist in the history, where the one being judged is left out.
class Counter {
 public:
  Counter(const EscalateRule& rule, const Event& anchor) : rule_(rule), anchor_(anchor) {}

  void Add(const Event& event, const std::string& tenant, std::int64_t occurrences) {
    if (event.symptom != rule_.symptom || !SamePlace(rule_.scope, anchor_, event)) return;
    if (rule_.within_seconds > 0 && event.has_time() && anchor_.has_time() &&
        std::abs(std::chrono::duration<double>(event.time - anchor_.time).count()) >
            rule_.within_seconds) {
      return;
    }
    switch (rule_.distinct) {
      case EscalateRule::Distinct::kNone:
        occurrences_ += occurrences;
        break;
      case EscalateRule::Distinct::kTenant:
        if (!tenant.empty()) seen_.insert(tenant);
        break;
      case EscalateRule::Distinct::kNode:
        if (!event.node.empty()) seen_.insert(event.node);
        break;
      case EscalateRule::Distinct::kGpu:
        seen_.insert(GpuOf(event));
        break;
    }
  }

  bool Enough() const {
    const auto count = rule_.distinct == EscalateRule::Distinct::kNone
                           ? occurrences_
                           : static_cast<std::int64_t>(seen_.size());
    return count >= rule_.at_least;
  }

 private:
  const EscalateRule& rule_;
  const Event& anchor_;
  std::int64_t occurrences_ = 0;
  std::set<std::string> seen_;
};

// Anchors are taken by trust: a claim never counts towards what is concluded from a proof, while a
// proof may support a suspicion.
void EscalateBy(Refinement& refinement, const RefinerRule& refiner) {
  const EscalateRule& rule = *refiner.escalate;
  std::vector<int> left = refinement.Of(rule.symptom);
  std::stable_sort(left.begin(), left.end(), [&](int a, int b) {
    return refinement.EventAt(a).trust > refinement.EventAt(b).trust;
  });
  while (!left.empty()) {
    const Event anchor = refinement.EventAt(left.front());
    Counter counter(rule, anchor);
    std::vector<int> parts;
    std::vector<int> others;
    for (const int index : left) {
      const Event& event = refinement.EventAt(index);
      if (event.trust >= anchor.trust && SamePlace(rule.scope, anchor, event)) {
        counter.Add(event, {}, event.count);
        parts.push_back(index);
      } else {
        others.push_back(index);
      }
    }
    // The anchor itself may have no place that can be compared with any.
    if (parts.empty()) others.erase(others.begin());
    left = std::move(others);
    if (parts.empty()) continue;
    for (const PastSymptom& past : refinement.history.symptoms) {
      counter.Add(PlaceOfPast(past), past.tenant, 1);
    }
    if (!counter.Enough()) continue;
    Event event = anchor;
    event.symptom = rule.result;
    event.rule = refiner.name;
    refinement.AddDerived(std::move(event), parts);
  }
}

}  // namespace

void Escalate(Refinement& refinement) {
  for (const RefinerRule& refiner : refinement.ruleset.model().refiners) {
    if (refiner.escalate) EscalateBy(refinement, refiner);
  }
}

}  // namespace engine
