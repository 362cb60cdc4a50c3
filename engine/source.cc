// SPDX-License-Identifier: Apache-2.0
#include "engine/source.h"

#include <array>
#include <utility>

namespace engine {
namespace {

constexpr std::array<std::pair<std::string_view, Source>, kSourceCount> kNames = {{
    {"AppLog", Source::kAppLog},
    {"Kernel", Source::kKernel},
    {"Syslog", Source::kSyslog},
    {"Kubelet", Source::kKubelet},
    {"PodStatus", Source::kPodStatus},
    {"Event", Source::kEvent},
    {"NodeCondition", Source::kNodeCondition},
    {"NodeMetric", Source::kNodeMetric},
    {"Scheduler", Source::kScheduler},
}};

// The REST API's spellings.
constexpr std::array<std::pair<std::string_view, Source>, 6> kRestNames = {{
    {"applog", Source::kAppLog},
    {"syslog", Source::kSyslog},
    {"kubelet", Source::kKubelet},
    {"k8s-event", Source::kEvent},
    {"scheduler", Source::kScheduler},
    {"node-metrics", Source::kNodeMetric},
}};

}  // namespace

std::string_view ToString(Source source) {
  for (const auto& [name, value] : kNames) {
    if (value == source) return name;
  }
  return "AppLog";
}

std::string_view ToString(Trust trust) {
  switch (trust) {
    case Trust::kWorkload:
      return "Workload";
    case Trust::kCluster:
      return "Cluster";
    case Trust::kNode:
      return "Node";
  }
  return "Workload";
}

std::optional<Source> ParseSource(std::string_view name) {
  for (const auto& [known, value] : kNames) {
    if (known == name) return value;
  }
  for (const auto& [known, value] : kRestNames) {
    if (known == name) return value;
  }
  return std::nullopt;
}

Trust DefaultTrust(Source source) {
  switch (source) {
    case Source::kAppLog:
    case Source::kEvent:
      return Trust::kWorkload;
    case Source::kPodStatus:
    case Source::kScheduler:
    case Source::kNodeCondition:
    case Source::kNodeMetric:
      return Trust::kCluster;
    case Source::kKernel:
    case Source::kKubelet:
      return Trust::kNode;
    case Source::kSyslog:
      // Any program of the node can write there, also one of the workload's.
      return Trust::kWorkload;
  }
  return Trust::kWorkload;
}

}  // namespace engine
