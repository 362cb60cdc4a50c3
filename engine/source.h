// SPDX-License-Identifier: Apache-2.0
// Where a line of evidence came from, and who could have written it.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace engine {

// The kinds of evidence a rule can ask for (`sources:` in a ruleset). The names in the rule format
// and in the resources are the enumerators without the k.
enum class Source {
  kAppLog,         // what the workload's containers printed
  kKernel,         // the node's kernel ring buffer, proven to be the kernel's own records
  kSyslog,         // mixed writers of the node: supports, never establishes
  kKubelet,        // the kubelet's own log
  kPodStatus,      // container states, pod phase and conditions, one fact a line
  kEvent,          // Kubernetes Events (anybody with the edit role can write those)
  kNodeCondition,  // conditions in the Node's status
  kNodeMetric,     // counters of the node, name=value
  kScheduler,      // conditions of the Job and of queueing systems
};
inline constexpr std::size_t kSourceCount = 9;

// Who can have written a stream. Decides the strongest evidence level a symptom can reach.
enum class Trust {
  kWorkload,  // the judged party itself, or anybody in its namespace
  kCluster,   // the control plane
  kNode,      // the node's kernel, the kubelet
};

// The names used in YAML, JSON and text ("AppLog", "Workload"). Never fails.
std::string_view ToString(Source source);
std::string_view ToString(Trust trust);

// Accepts the names above and the REST API's spellings (applog, syslog, kubelet, k8s-event,
// scheduler, node-metrics). nullopt when unknown.
std::optional<Source> ParseSource(std::string_view name);

// The trust that a source has when nothing lowers it.
Trust DefaultTrust(Source source);

}  // namespace engine
