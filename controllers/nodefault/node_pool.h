// SPDX-License-Identifier: Apache-2.0
// How a pool of nodes stands: which are there for pods, and which are not, whoever caused it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kube/object.h"

namespace controllers {

inline constexpr char kTaintKey[] = "attribution.dev/hardware-fault";
inline constexpr char kTaintValue[] = "true";
// On the node, beside the taint and written in the same patch: the names of the NodeFaults that the
// taint is there for, separated by commas. Tells our taint from somebody else's, after a crash too.
inline constexpr char kTaintAnnotation[] = "attribution.dev/hardware-fault";
inline constexpr char kConditionType[] = "AttributionHardwareFault";
inline constexpr char kOptOutLabel[] = "attribution.dev/node-actions";
inline constexpr char kOptOutValue[] = "disabled";

bool HasTaint(const kube::Json& node);
// Names in the annotation, sorted.
std::vector<std::string> TaintOwners(const kube::Json& node);

// Has accelerators (capacity names some, if 0 by now), or is labelled as having them.
bool IsAcceleratorNode(const kube::Json& node);

// Whether nothing changed that decisions about a node rest on: labels, annotation, taints, cordon,
// Ready, boot, our condition.
bool SameStanding(const kube::Json& before, const kube::Json& after);

// Nodes of one pool.
struct PoolStanding {
  std::vector<std::string> nodes;        // all, sorted
  std::vector<std::string> unavailable;  // of them, sorted
};

// `nodes` are the nodes that a NodeActionPolicy selects; those without accelerators don't count,
// except `always` (the node in question: empty for none). Unavailable: not Ready, cordoned, or with
// a NoSchedule or NoExecute taint or with ours, whatever its effect. Taints that set a pool apart
// on purpose are no unavailability: those named after an accelerator resource, and those that every
// node of the pool carries.
PoolStanding StandingOf(const std::vector<kube::Json>& nodes, const std::string& always);

}  // namespace controllers
