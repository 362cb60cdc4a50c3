// SPDX-License-Identifier: Apache-2.0
#include "engine/refine/correlated.h"

#include <fmt/format.h>

#include <set>

#include "engine/history.h"

namespace engine {
namespace {

std::string_view Describe(NodeActivity::Kind kind) {
  switch (kind) {
    case NodeActivity::Kind::kBoot:
      return "the node had just booted";
    case NodeActivity::Kind::kDriverUpgrade:
      return "a driver upgrade was under way";
    case NodeActivity::Kind::kMigChange:
      return "a change of MIG partitions was under way";
    case NodeActivity::Kind::kMaintenance:
      return "the node was under maintenance";
  }
  return "the node was under maintenance";
}

}  // namespace

std::string CorrelatedWith(const Refinement& refinement, const Finding& root) {
  const Event& event = root.event;
  const auto near = [&](Time time) {
    return !event.has_time() || std::chrono::abs(time - event.time) <= kCorrelationWindow;
  };
  std::set<std::string> nodes;
  for (const Finding& finding : refinement.findings) {
    if (finding.event.symptom == event.symptom && !finding.event.node.empty() &&
        (!finding.event.has_time() || near(finding.event.time))) {
      nodes.insert(finding.event.node);
    }
  }
  for (const PastSymptom& past : refinement.history.symptoms) {
    if (past.symptom == event.symptom && !past.node.empty() && near(past.time)) {
      nodes.insert(past.node);
    }
  }
  if (nodes.size() >= static_cast<std::size_t>(kCorrelatedNodes)) {
    return fmt::format("{} nodes had it within {} minutes", nodes.size(),
                       kCorrelationWindow.count());
  }
  if (!event.has_time()) return {};
  for (const NodeActivity& activity : refinement.history.activities) {
    if (!SameNode(activity.node, event.node) || activity.time > event.time + kClockSkew) continue;
    const auto lasts =
        activity.kind == NodeActivity::Kind::kBoot
            ? std::chrono::duration_cast<std::chrono::nanoseconds>(kAfterBoot)
            : std::chrono::duration_cast<std::chrono::nanoseconds>(kCorrelationWindow);
    if (event.time - activity.time <= lasts) return std::string(Describe(activity.kind));
  }
  return {};
}

}  // namespace engine
