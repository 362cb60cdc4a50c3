// SPDX-License-Identifier: Apache-2.0
#include "engine/refine/combine.h"

#include <algorithm>
#include <chrono>
#include <set>

namespace engine {
namespace {

bool Within(double seconds, const Event& a, const Event& b) {
  if (seconds <= 0 || !a.has_time() || !b.has_time()) return true;
  return std::abs(std::chrono::duration<double>(a.time - b.time).count()) <= seconds;
}

// The finding of `symptom` that fits with `anchor`; -1: none.
int FindPart(const Refinement& refinement, const CombineRule& rule, const Event& anchor,
             const std::string& symptom) {
  for (std::size_t i = 0; i < refinement.findings.size(); ++i) {
    const Event& event = refinement.findings[i].event;
    if (event.symptom == symptom && SamePlace(rule.scope, anchor, event) &&
        Within(rule.within_seconds, anchor, event)) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

// Whether every rank that is known but one has the symptom.
bool AllRanksButOne(const Refinement& refinement, const std::string& symptom) {
  std::set<int> all;
  std::set<int> with;
  for (const Finding& finding : refinement.findings) {
    if (!finding.event.rank) continue;
    all.insert(*finding.event.rank);
    if (finding.event.symptom == symptom) with.insert(*finding.event.rank);
  }
  // Ranks count from 0 without gaps: one that was never heard of is a silent one.
  const std::size_t expected =
      all.empty() ? 0 : std::max(all.size(), static_cast<std::size_t>(*all.rbegin()) + 1);
  return with.size() >= 2 && with.size() + 1 == expected;
}

void CombineAt(Refinement& refinement, const RefinerRule& refiner, int anchor_index) {
  const CombineRule& rule = *refiner.combine;
  const Event anchor = refinement.findings[static_cast<std::size_t>(anchor_index)].event;
  std::vector<int> parts{anchor_index};
  Trust trust = anchor.trust;
  for (std::size_t i = 1; i < rule.all.size(); ++i) {
    const int part = FindPart(refinement, rule, anchor, rule.all[i]);
    if (part < 0) return;
    parts.push_back(part);
    trust = std::min(trust, refinement.findings[static_cast<std::size_t>(part)].event.trust);
  }
  for (const std::string& symptom : rule.none) {
    if (FindPart(refinement, rule, anchor, symptom) >= 0) return;
  }
  Event event = anchor;
  event.symptom = rule.result;
  event.rule = refiner.name;
  event.trust = trust;
  for (const int part : parts) {
    const Event& other = refinement.findings[static_cast<std::size_t>(part)].event;
    // The earliest of the parts tells when it began.
    if (other.has_time() && event.has_time() && other.time < event.time) event.time = other.time;
  }
  refinement.AddDerived(std::move(event), parts);
}

}  // namespace

void Combine(Refinement& refinement) {
  for (const RefinerRule& refiner : refinement.ruleset.model().refiners) {
    if (!refiner.combine) continue;
    const CombineRule& rule = *refiner.combine;
    const bool covered = std::all_of(rule.coverage.begin(), rule.coverage.end(),
                                     [&](Source source) { return refinement.IsComplete(source); });
    if (!covered) continue;
    if (rule.all_but_one_rank && !AllRanksButOne(refinement, rule.all.front())) continue;
    std::vector<int> anchors;
    for (std::size_t i = 0; i < refinement.findings.size(); ++i) {
      const Event& event = refinement.findings[i].event;
      if (event.symptom != rule.all.front()) continue;
      const bool seen = std::any_of(anchors.begin(), anchors.end(), [&](int other) {
        return SamePlace(rule.scope, refinement.findings[static_cast<std::size_t>(other)].event,
                         event);
      });
      if (!seen) anchors.push_back(static_cast<int>(i));
    }
    for (const int anchor : anchors) CombineAt(refinement, refiner, anchor);
  }
}

}  // namespace engine
