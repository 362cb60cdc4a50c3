// SPDX-License-Identifier: Apache-2.0
#include "controllers/status/resources.h"

#include <nlohmann/json.hpp>

namespace controllers {

kube::Json Regarding(const kube::Resource& resource, const kube::Json& object) {
  kube::Json metadata = {{"name", kube::NameOf(object)}, {"uid", kube::UidOf(object)}};
  if (resource.namespaced) metadata["namespace"] = kube::NamespaceOf(object);
  return {{"apiVersion", resource.ApiVersion()},
          {"kind", resource.kind},
          {"metadata", std::move(metadata)}};
}

}  // namespace controllers
