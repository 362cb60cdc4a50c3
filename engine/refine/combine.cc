// SPDX-License-Identifier: Apache-2.0
#include "engine/refine/combine.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace engine {
namespace {

bool Within(double seconds, const Event& a, const Event& b) {
  if (seconds <= 0 || !a.has_time() || !b.has_time()) return true;
  return std::abs(std::chrono::duration<double>(a.time - b.time).count()) <= seconds;
}

// The finding of `symptom` that fits with `anchor`: of several the most trusted, then the earliest,
// so that a claim cannot stand before a proof. -1: none.
int FindPart(const Refinement& refinement, const CombineRule& rule, const Event& anchor,
             const std::string& symptom) {
  int best = -1;
  for (const int index : refinement.Of(symptom)) {
    const Event& event = refinement.EventAt(index);
    if (SamePlace(rule.scope, anchor, event) && Within(rule.within_seconds, anchor, event) &&
        (best < 0 || event.trust > refinement.EventAt(best).trust)) {
      best = index;
    }
  }
  return best;
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

// The derived event with what it is made of; nullopt: not all is there.
std::optional<std::pair<Event, std::vector<int>>> CombineAt(const Refinement& refinement,
                                                            const RefinerRule& refiner,
                                                            int anchor_index) {
  const CombineRule& rule = *refiner.combine;
  const Event& anchor = refinement.EventAt(anchor_index);
  std::vector<int> parts{anchor_index};
  for (std::size_t i = 1; i < rule.all.size(); ++i) {
    const int part = FindPart(refinement, rule, anchor, rule.all[i]);
    if (part < 0) return std::nullopt;
    parts.push_back(part);
  }
  for (const std::string& symptom : rule.none) {
    if (FindPart(refinement, rule, anchor, symptom) >= 0) return std::nullopt;
  }
  Event event = anchor;
  event.symptom = rule.result;
  event.rule = refiner.name;
  for (const int part : parts) {
    const Event& other = refinement.EventAt(part);
    // A conclusion is worth what its weakest part is.
    event.trust = std::min(event.trust, other.trust);
    // The earliest of the parts tells when it began.
    if (other.has_time() && event.has_time() && other.time < event.time) {
      event.time = other.time;
      event.time_is_floor = other.time_is_floor;
    }
  }
  return std::pair(std::move(event), std::move(parts));
}

void CombineBy(Refinement& refinement, const RefinerRule& refiner) {
  const CombineRule& rule = *refiner.combine;
  std::vector<int> anchors = refinement.Of(rule.all.front());
  // The most trusted first: what it proves at a place, a claim there needs not suggest again.
  std::stable_sort(anchors.begin(), anchors.end(), [&](int a, int b) {
    return refinement.EventAt(a).trust > refinement.EventAt(b).trust;
  });
  std::vector<int> done;
  for (const int anchor : anchors) {
    const bool told = std::any_of(done.begin(), done.end(), [&](int other) {
      return SamePlace(rule.scope, refinement.EventAt(other), refinement.EventAt(anchor));
    });
    if (told) continue;
    if (auto derived = CombineAt(refinement, refiner, anchor)) {
      done.push_back(anchor);
      refinement.AddDerived(std::move(derived->first), derived->second);
    }
  }
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
    CombineBy(refinement, refiner);
  }
}

}  // namespace engine
