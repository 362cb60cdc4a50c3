// SPDX-License-Identifier: Apache-2.0
#include "controllers/workload/owner.h"

#include <nlohmann/json.hpp>

#include "controllers/status/field.h"

namespace controllers {

Owner ControllerOf(const kube::Json& object) {
  for (const kube::Json& owner : Field(object, "/metadata/ownerReferences")) {
    if (Field(owner, "/controller") != true) continue;
    return {kube::StringAt(owner, "/apiVersion"), kube::StringAt(owner, "/kind"),
            kube::StringAt(owner, "/name"), kube::StringAt(owner, "/uid")};
  }
  return {};
}

std::vector<std::string> OwnerUids(const kube::Json& object) {
  std::vector<std::string> uids;
  for (const kube::Json& owner : Field(object, "/metadata/ownerReferences")) {
    uids.push_back(kube::StringAt(owner, "/uid"));
  }
  return uids;
}

}  // namespace controllers
