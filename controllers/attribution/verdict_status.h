// SPDX-License-Identifier: Apache-2.0
// An engine's answer as the status of an Attribution, within the limits of the resource. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "controllers/evidence/session.h"
#include "controllers/ruleset/ruleset_store.h"
#include "engine/attribution.h"
#include "kube/object.h"

namespace controllers {

// The whole object stays below this, conditions, metadata and spec included.
inline constexpr std::size_t kMaxAttributionBytes = 64 * 1024;

// The fields of status that come from the engine and the session: verdict (without revision and
// settledTime), root, tail, symptoms, nodes (without fault), placement, evidence, gaps, facts,
// applied. Texts are cut at the limits of the CRD; empty fields are left out.
kube::Json StatusFields(const engine::Attribution& attribution, const Placement& placement,
                        const std::string& policy, const std::vector<AppliedRuleset>& rulesets);

// Whether two verdicts say the same: all of status.verdict but revision, settledTime and the words
// (message, actions).
bool SameVerdict(const kube::Json& a, const kube::Json& b);

// Makes the status fit: first the context goes, then lines, then what is listed last.
// Deterministic; verdict and root's first kilobyte always stay.
void FitStatus(kube::Json& status, std::size_t max_bytes);

// Whether a fresh answer may replace what is written. Within one session evidence only grows, so it
// always may. A session that was started anew (after a restart of the operator) can have lost what
// the first one read: pods and their logs are gone by then. What is written then stays if the fresh
// answer knows less, that is if it is weaker (Unknown instead of an answer, or a lower evidence
// level) and saw fewer complete streams of some source.
bool MayReplace(const kube::Json& written_status, const engine::Attribution& fresh);

}  // namespace controllers
