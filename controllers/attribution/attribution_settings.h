// SPDX-License-Identifier: Apache-2.0
// An AttributionPolicy in the units that judging works with.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "controllers/evidence/session.h"
#include "crds/attribution_policy.h"

namespace controllers {

struct AttributionSettings {
  std::vector<std::string> rulesets;
  SessionOptions session;
  std::chrono::seconds settle{30};
  std::string tenant_namespace_label;  // empty: each namespace is a tenant
  bool node_faults = false;
  std::chrono::seconds max_age{2592000};
  std::int64_t max_per_namespace = 500;
};

AttributionSettings SettingsOf(const crds::AttributionPolicySpec& spec);

}  // namespace controllers
