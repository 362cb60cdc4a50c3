// SPDX-License-Identifier: Apache-2.0
#include "controllers/workload/projection.h"

#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "controllers/policy/accelerators.h"
#include "controllers/status/field.h"

namespace controllers {
namespace {

using kube::Json;

constexpr std::array<const char*, 2> kContainerLists = {"containers", "initContainers"};

}  // namespace

Json KeepOnly(const Json& object, std::initializer_list<const char*> pointers) {
  Json kept = Json::object();
  for (const char* const pointer : pointers) {
    const Json::json_pointer path(pointer);
    if (object.contains(path)) kept[path] = object.at(path);
  }
  return kept;
}

Json KeepMetadata(const Json& object) {
  return KeepOnly(
      object, {"/metadata/name", "/metadata/namespace", "/metadata/uid",
               "/metadata/resourceVersion", "/metadata/generation", "/metadata/creationTimestamp",
               "/metadata/deletionTimestamp", "/metadata/labels", "/metadata/ownerReferences"});
}

Json KeepContainers(const Json& pod_spec) {
  Json kept = KeepOnly(pod_spec, {"/resourceClaims"});
  for (const char* const list : kContainerLists) {
    const auto found = pod_spec.find(list);
    if (found == pod_spec.end()) continue;
    Json containers = Json::array();
    for (const Json& container : *found) {
      containers.push_back(KeepOnly(container, {"/name", "/resources", "/restartPolicy"}));
    }
    kept[list] = std::move(containers);
  }
  return kept;
}

std::vector<std::string> RequestedResources(const Json& pod_spec) {
  std::set<std::string> names;
  for (const char* const list : kContainerLists) {
    if (!pod_spec.is_object() || !pod_spec.contains(list)) continue;
    for (const Json& container : pod_spec.at(list)) {
      for (const char* const amounts : {"/resources/requests", "/resources/limits"}) {
        for (const auto& [name, quantity] : Field(container, amounts).items()) {
          if (quantity != "0" && quantity != 0) names.insert(name);
        }
      }
    }
  }
  if (!Field(pod_spec, "/resourceClaims").empty()) names.emplace(kResourceClaims);
  return {names.begin(), names.end()};
}

}  // namespace controllers
