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
    return std::chrono::abs(time - event.time) <= kCorrelationWindow;
  };
  std::set<std::string> nodes;
  for (const int index : refinement.Of(event.symptom)) {
    const Event& other = refinement.EventAt(index);
    const bool comparable = event.has_time() && other.has_time();
    // Claims cannot talk a proven fault away.
    if (!other.node.empty() && other.trust >= event.trust && (!comparable || near(other.time))) {
      nodes.insert(other.node);
    }
  }
  for (const PastSymptom& past : refinement.history.symptoms) {
    if (past.symptom == event.symptom && !past.node.empty() && event.has_time() &&
        near(past.time)) {
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
