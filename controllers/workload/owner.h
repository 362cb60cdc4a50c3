// SPDX-License-Identifier: Apache-2.0
// Who controls an object (metadata.ownerReferences).
#pragma once

#include <string>
#include <vector>

#include "kube/object.h"

namespace controllers {

struct Owner {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;  // empty: nobody controls it
};

// The one owner reference with controller: true.
Owner ControllerOf(const kube::Json& object);

// UIDs of all owner references.
std::vector<std::string> OwnerUids(const kube::Json& object);

}  // namespace controllers
