// SPDX-License-Identifier: Apache-2.0
// What is known of the workload before any evidence is read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/time.h"

namespace engine {

// A GPU that the workload held. Empty strings are unknown.
struct Gpu {
  std::string node;
  std::string uuid;         // "GPU-..." as NVML prints it
  std::string pci_address;  // any spelling; normalised by the engine
};

// When a part of the workload was on a node.
struct Stay {
  std::string node;
  Time from;
  std::optional<Time> to;  // unset: it is still there, or nobody saw it go
};

// How the workload ended, by its controller's word.
enum class Outcome {
  kUnknown,    // nobody said: saved logs, a request made by hand
  kFailed,     // a terminal failure
  kSucceeded,  // it finished after all
};

// The subject of a verdict. A plain value.
struct Workload {
  std::string kind;        // "Job"
  std::string name_space;  // empty outside a cluster
  std::string name;
  Outcome outcome = Outcome::kUnknown;
  // Evidence outside [start - slack, end + slack] is filtered. Unset: no bound on that side.
  std::optional<Time> start;
  std::optional<Time> end;
  // Where neither is known: a time near the evidence's, which gives a year to times without one.
  std::optional<Time> about;
  // The workload's own nodes. Empty: every node that evidence names counts as the workload's.
  std::vector<std::string> nodes;
  // What a node says counts while the workload was there, where that is known; a node without an
  // entry was its own for all of the window.
  std::vector<Stay> stays;
  // The workload's own GPUs; only consulted for nodes in nodes_with_known_gpus. On a node that is
  // not listed there the mapping is unknown: a GPU symptom is at most Supported unless the node is
  // in exclusive_nodes.
  std::vector<Gpu> gpus;
  std::vector<std::string> nodes_with_known_gpus;
  // Nodes of which the workload held every accelerator: any GPU there was the workload's.
  std::vector<std::string> exclusive_nodes;
};

}  // namespace engine
