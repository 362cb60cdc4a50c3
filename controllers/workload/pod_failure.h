// SPDX-License-Identifier: Apache-2.0
// Whether and when something of a pod failed.
#pragma once

#include <optional>
#include <string>

#include "kube/object.h"

namespace controllers {

struct PodFailure {
  std::string container;  // empty: the pod as a whole (evicted, refused by the node)
  std::string time;       // RFC 3339; empty: not told
  // The control plane or the node took the pod away (condition DisruptionTarget).
  bool disrupted = false;
};

// The earliest failure that the pod's status tells of: a container (or init container) that ended
// with another exit code than 0, now or in its previous run; a pod in phase Failed. What a pod does
// while it is being deleted is the deletion's doing, as is what a sidecar does at the end.
std::optional<PodFailure> FirstFailure(const kube::Json& pod);

// Whether the pod runs no more: phase Failed or Succeeded.
bool IsFinished(const kube::Json& pod);

}  // namespace controllers
