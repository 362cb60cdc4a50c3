// SPDX-License-Identifier: Apache-2.0
// Conditions in a status (metav1.Condition), by the conventions of the Kubernetes API: a list with
// one entry a type, lastTransitionTime moves only with the status.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/time.h"
#include "kube/object.h"

namespace controllers {

struct Condition {
  std::string type;
  std::string status;  // "True" | "False" | "Unknown"
  std::string reason;  // CamelCase, never empty
  std::string message;
  std::int64_t observed_generation = 0;
};

// Sets the entry of that type in `conditions` (an array, or null for an empty one). The message is
// cut at kMaxConditionMessage bytes. Returns whether anything changed; then `now` becomes
// lastTransitionTime if the status did.
bool SetCondition(kube::Json& conditions, const Condition& condition, engine::Time now);

inline constexpr std::size_t kMaxConditionMessage = 1024;

// The entry of that type in object.status.conditions; null if there is none.
const kube::Json* FindCondition(const kube::Json& object, std::string_view type);

// Its status and reason; empty if there is none.
std::string ConditionStatus(const kube::Json& object, std::string_view type);
std::string ConditionReason(const kube::Json& object, std::string_view type);

// A time as the API server writes it: RFC 3339, whole seconds.
std::string FormatSeconds(engine::Time time);

// Cuts at `bytes` at most, not inside a UTF-8 sequence; a cut ends in "...".
std::string CutText(std::string text, std::size_t bytes);

}  // namespace controllers
