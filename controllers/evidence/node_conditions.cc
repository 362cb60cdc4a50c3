// SPDX-License-Identifier: Apache-2.0
#include "controllers/evidence/node_conditions.h"

#include <nlohmann/json.hpp>

#include "controllers/evidence/lines.h"
#include "controllers/status/field.h"

namespace controllers {
namespace {

constexpr char kOwnCondition[] = "AttributionHardwareFault";

}  // namespace

std::vector<StatusLine> NodeConditionLines(const kube::Json& node) {
  std::vector<StatusLine> lines;
  for (const kube::Json& condition : Field(node, "/status/conditions")) {
    if (kube::StringAt(condition, "/type") == kOwnCondition) continue;
    lines.push_back({NodeConditionLine(condition),
                     engine::ParseRfc3339(kube::StringAt(condition, "/lastTransitionTime")),
                     false});
  }
  return lines;
}

std::string BootIdOf(const kube::Json& node) {
  return kube::StringAt(node, "/status/nodeInfo/bootID");
}

}  // namespace controllers
