// SPDX-License-Identifier: Apache-2.0
#include "engine/refine/boots.h"

#include <algorithm>
#include <map>
#include <string>

namespace engine {
namespace {

bool IsOfTheNode(Source source) {
  return source == Source::kKernel || source == Source::kSyslog || source == Source::kKubelet;
}

}  // namespace

std::vector<Finding> AfterBoots(std::vector<Finding> findings, std::optional<Time> first_words) {
  if (!first_words) return findings;
  std::map<std::string, Time> last_boot;  // before the first words, by node
  for (const Finding& finding : findings) {
    const Event& event = finding.event;
    if (event.symptom != kNodeBooted || !event.has_time()) continue;
    // Boots are folded: of several the first and the last are known.
    for (const Time boot : {event.time, event.last_time}) {
      if (boot > *first_words) continue;
      const auto [known, added] = last_boot.emplace(event.node, boot);
      if (!added) known->second = std::max(known->second, boot);
    }
  }
  const auto before_boot = [&](const Finding& finding) {
    const Event& event = finding.event;
    if (event.symptom == kNodeBooted || !IsOfTheNode(event.source) || !event.has_time()) {
      return false;
    }
    const auto boot = last_boot.find(event.node);
    return boot != last_boot.end() && std::max(event.time, event.last_time) < boot->second;
  };
  findings.erase(std::remove_if(findings.begin(), findings.end(), before_boot), findings.end());
  return findings;
}

}  // namespace engine
