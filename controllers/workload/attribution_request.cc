// SPDX-License-Identifier: Apache-2.0
#include "controllers/workload/attribution_request.h"

#include <nlohmann/json.hpp>

#include "controllers/ruleset/digest.h"
#include "controllers/status/resources.h"
#include "crds/attribution.h"
#include "crds/fields.h"

namespace controllers {
namespace {

constexpr std::size_t kNameCharacters = 40;
constexpr std::size_t kHashDigits = 10;

}  // namespace

std::string AttributionName(const std::string& workload, const std::string& uid,
                            const std::string& attempt_id) {
  std::string name = workload.substr(0, kNameCharacters);
  // A cut must not leave "a.-1234": a label of a DNS name starts and ends with a letter or digit.
  while (!name.empty() && (name.back() == '.' || name.back() == '-')) name.pop_back();
  return name + '-' + Sha256Hex(uid + '\n' + attempt_id).substr(0, kHashDigits);
}

kube::Json AttributionFor(const WorkloadKind& kind, const kube::Json& workload,
                          const Attempt& attempt) {
  const std::string name = kube::NameOf(workload);
  const std::string uid = kube::UidOf(workload);
  const crds::AttributionSpec spec{.workload = {.api_version = kind.resource().ApiVersion(),
                                                .kind = kind.resource().kind,
                                                .name = name,
                                                .uid = uid,
                                                .attempt_id = attempt.id},
                                   .window = {},
                                   .rulesets = {}};
  return {{"apiVersion", kAttributions.ApiVersion()},
          {"kind", kAttributions.kind},
          {"metadata",
           {{"name", AttributionName(name, uid, attempt.id)},
            {"namespace", kube::NamespaceOf(workload)},
            {"labels", {{kWorkloadUidLabel, uid}}}}},
          {"spec", crds::ToJson(spec)}};
}

}  // namespace controllers
