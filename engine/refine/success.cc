// SPDX-License-Identifier: Apache-2.0
#include "engine/refine/success.h"

#include <algorithm>
#include <vector>

namespace engine {
namespace {

bool IsFailure(const Finding& finding) {
  return finding.entry->role == Role::kRoot || finding.entry->role == Role::kAmbiguous ||
         finding.entry->role == Role::kCascade;
}

bool IsOfTheCluster(Source source) {
  return source == Source::kPodStatus || source == Source::kScheduler || source == Source::kEvent;
}

bool IsOvercome(const Finding& failure, const Finding& success) {
  const bool later = CertainlyBefore(success.event, failure.event);
  if (ScopeOf(*success.entry) == Scope::kWorkload) return !later;
  const bool program = failure.event.source == Source::kAppLog;
  if (program && failure.event.stream == success.event.stream) {
    return !later || failure.entry->role == Role::kCascade;
  }
  if (later) return false;
  if (program) {
    return success.event.source != Source::kAppLog && !failure.event.node.empty() &&
           SameNode(failure.event.node, success.event.node);
  }
  if (IsOfTheCluster(failure.event.source)) {
    // What describes objects stands in no order of time.
    return failure.event.has_time() && success.event.has_time() &&
           CertainlyBefore(failure.event, success.event);
  }
  return true;
}

}  // namespace

int SuccessOf(const Refinement& refinement) {
  if (refinement.workload.outcome != Outcome::kUnknown) return -1;
  std::vector<int> words;
  for (std::size_t i = 0; i < refinement.findings.size(); ++i) {
    if (refinement.findings[i].entry->result == Result::kSucceeded) {
      words.push_back(static_cast<int>(i));
    }
  }
  if (words.empty()) return -1;
  const auto finding = [&](int i) -> const Finding& {
    return refinement.findings[static_cast<std::size_t>(i)];
  };
  for (const Finding& failure : refinement.findings) {
    if (!IsFailure(failure)) continue;
    if (std::none_of(words.begin(), words.end(),
                     [&](int word) { return IsOvercome(failure, finding(word)); })) {
      return -1;
    }
  }
  // The word of the whole speaks for all; of equals, the first.
  const auto whole = std::find_if(words.begin(), words.end(), [&](int word) {
    return ScopeOf(*finding(word).entry) == Scope::kWorkload;
  });
  return whole == words.end() ? words.front() : *whole;
}

}  // namespace engine
