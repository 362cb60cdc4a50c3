// SPDX-License-Identifier: Apache-2.0
#include "controllers/attribution/attribution_settings.h"

#include <charconv>
#include <limits>

namespace controllers {
namespace {

// "16Mi" in bytes; the schema lets nothing else through. What doesn't fit is the most there is.
std::int64_t BytesOf(const std::string& quantity) {
  std::int64_t number = 0;
  const char* const end = quantity.data() + quantity.size();
  const auto [rest, error] = std::from_chars(quantity.data(), end, number);
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (error != std::errc()) return error == std::errc::result_out_of_range ? kMost : 0;
  int shift = 0;
  if (rest != end) {
    shift = *rest == 'K' ? 10 : *rest == 'M' ? 20 : *rest == 'G' ? 30 : *rest == 'T' ? 40 : 0;
  }
  return number > (kMost >> shift) ? kMost : number << shift;
}

}  // namespace

AttributionSettings SettingsOf(const crds::AttributionPolicySpec& spec) {
  AttributionSettings settings;
  settings.rulesets = spec.rulesets;
  settings.session.node_logs = {spec.evidence.node_logs.begin(), spec.evidence.node_logs.end()};
  settings.session.max_bytes_per_container = BytesOf(spec.evidence.max_bytes_per_container);
  settings.session.max_bytes_per_workload = BytesOf(spec.evidence.max_bytes_per_workload);
  settings.session.redact = spec.evidence.redact;
  settings.settle = std::chrono::seconds(spec.evidence.settle_seconds);
  settings.tenant_namespace_label = spec.tenant_namespace_label;
  settings.node_faults = spec.node_faults == "Allowed";
  settings.max_age = std::chrono::seconds(spec.retention.max_age_seconds);
  settings.max_per_namespace = spec.retention.max_per_namespace;
  return settings;
}

}  // namespace controllers
