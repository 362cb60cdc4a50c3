// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace crds {

// metav1.Condition.
struct Condition {
  std::string type;
  std::string status;  // "True" | "False" | "Unknown"
  std::int64_t observed_generation = 0;
  std::string last_transition_time;  // RFC 3339
  std::string reason;
  std::string message;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("type", self.type);
    visit("status", self.status);
    visit("observedGeneration", self.observed_generation);
    visit("lastTransitionTime", self.last_transition_time);
    visit("reason", self.reason);
    visit("message", self.message);
  }
};

}  // namespace crds
