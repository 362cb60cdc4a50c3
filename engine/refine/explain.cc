// SPDX-License-Identifier: Apache-2.0
#include "engine/refine/explain.h"

#include <chrono>
#include <string>
#include <vector>

namespace engine {
namespace {

// Times that cannot be compared don't speak against an explanation; the order within a log does,
// where the rule says that only one is possible.
bool InTime(const ExplainRule& rule, const Event& cause, const Event& effect) {
  if (cause.stream == effect.stream) {
    const bool later = cause.line_number > effect.line_number;
    if (later ? rule.after_seconds == 0 : rule.before_seconds == 0) return false;
  }
  if (cause.clock != effect.clock || cause.clock == Clock::kNone) return true;
  if (cause.clock == Clock::kBoot && !SameNode(cause.node, effect.node)) return true;
  const double lag = std::chrono::duration<double>(effect.time - cause.time).count();
  // Which of the two lags is only a lower bound depends on whose time is one.
  const bool too_old = lag > rule.before_seconds && !cause.time_is_floor;
  const bool too_late = lag < -rule.after_seconds && !effect.time_is_floor;
  return !too_old && !too_late;
}

// The earliest cause that fits; -1: none.
int FindCause(const std::vector<Finding>& findings, const ExplainRule& rule,
              const std::vector<int>& causes, int effect) {
  const Event& explained = findings[static_cast<std::size_t>(effect)].event;
  for (const int cause : causes) {
    const Event& event = findings[static_cast<std::size_t>(cause)].event;
    // What was derived may be a cause of its own parts' causes: no circles.
    if (SamePlace(rule.scope, event, explained) && InTime(rule, event, explained) &&
        !IsExplainedBy(findings, cause, effect)) {
      return cause;
    }
  }
  return -1;
}

}  // namespace

void Explain(Refinement& refinement) {
  std::vector<Finding>& findings = refinement.findings;
  for (const RefinerRule& refiner : refinement.ruleset.model().refiners) {
    if (!refiner.explain) continue;
    const ExplainRule& rule = *refiner.explain;
    const std::vector<int>& causes = refinement.Of(rule.cause);
    if (causes.empty()) continue;
    for (const std::string& symptom : rule.effects) {
      for (const int effect : refinement.Of(symptom)) {
        Finding& finding = findings[static_cast<std::size_t>(effect)];
        if (finding.explained_by < 0) {
          finding.explained_by = FindCause(findings, rule, causes, effect);
        }
      }
    }
  }
}

}  // namespace engine
