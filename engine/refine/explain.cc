// SPDX-License-Identifier: Apache-2.0
#include "engine/refine/explain.h"

#include <algorithm>
#include <chrono>

namespace engine {
namespace {

// Times that cannot be compared don't speak against an explanation.
bool InTime(const ExplainRule& rule, const Event& cause, const Event& effect) {
  if (cause.clock != effect.clock || cause.clock == Clock::kNone) return true;
  if (cause.clock == Clock::kBoot && !SameNode(cause.node, effect.node)) return true;
  const double lag = std::chrono::duration<double>(effect.time - cause.time).count();
  return lag <= rule.before_seconds && lag >= -rule.after_seconds;
}

}  // namespace

void Explain(Refinement& refinement) {
  auto& findings = refinement.findings;
  for (const RefinerRule& refiner : refinement.ruleset.model().refiners) {
    if (!refiner.explain) continue;
    const ExplainRule& rule = *refiner.explain;
    for (std::size_t effect = 0; effect < findings.size(); ++effect) {
      Finding& explained = findings[effect];
      if (explained.explained_by >= 0 || std::find(rule.effects.begin(), rule.effects.end(),
                                                   explained.event.symptom) == rule.effects.end()) {
        continue;
      }
      for (std::size_t cause = 0; cause < findings.size(); ++cause) {
        if (cause == effect || findings[cause].event.symptom != rule.cause ||
            !SamePlace(rule.scope, findings[cause].event, explained.event) ||
            !InTime(rule, findings[cause].event, explained.event)) {
          continue;
        }
        explained.explained_by = static_cast<int>(cause);
        break;
      }
    }
  }
}

}  // namespace engine
