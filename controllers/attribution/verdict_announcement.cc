// SPDX-License-Identifier: Apache-2.0
#include "controllers/attribution/verdict_announcement.h"

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "controllers/status/field.h"
#include "controllers/status/resources.h"

namespace controllers {

using kube::Json;

namespace {

// The workload as an Event's `regarding`.
Json WorkloadReference(const Json& attribution) {
  const Json& workload = Field(attribution, "/spec/workload");
  return {{"apiVersion", kube::StringAt(workload, "/apiVersion")},
          {"kind", kube::StringAt(workload, "/kind")},
          {"metadata",
           {{"name", kube::StringAt(workload, "/name")},
            {"namespace", kube::NamespaceOf(attribution)},
            {"uid", kube::StringAt(workload, "/uid")}}}};
}

// Pods without number may be hit by the same missing right.
void AnnounceMissingRights(kube::EventRecorder& events, const Json& attribution) {
  std::set<std::string> told;
  for (const Json& gap : Field(attribution, "/status/gaps")) {
    if (kube::StringAt(gap, "/reason") != "Forbidden") continue;
    if (!told.insert(kube::StringAt(gap, "/source")).second) continue;
    events.Event(Regarding(kAttributions, attribution), kube::EventType::kWarning, "Forbidden",
                 "Attribute", kube::StringAt(gap, "/message"));
  }
}

}  // namespace

void AnnounceVerdict(kube::EventRecorder& events, kube::MetricsRegistry& metrics,
                     const Json& attribution, const Json& verdict) {
  const std::string result = kube::StringAt(verdict, "/result");
  const std::string domain = kube::StringAt(verdict, "/domain");
  const std::int64_t revision = IntegerField(verdict, "/revision", 1);
  const std::string note =
      fmt::format("{}, {}: {} See Attribution {}.", result, domain,
                  kube::StringAt(verdict, "/message"), kube::NameOf(attribution));
  events.Event(WorkloadReference(attribution),
               result == "Failed" ? kube::EventType::kWarning : kube::EventType::kNormal,
               revision > 1 ? "VerdictRevised" : "Attributed", "Attribute", note);
  metrics.Count("attribution_verdicts_total",
                "Verdicts written, by result, domain and evidence level.",
                {{"result", result},
                 {"domain", domain},
                 {"level", kube::StringAt(verdict, "/evidenceLevel")}});
  AnnounceMissingRights(events, attribution);
}

}  // namespace controllers
