// SPDX-License-Identifier: Apache-2.0
#include "controllers/workload/projection.h"

#include <array>
#include <charconv>
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

std::int64_t WholeNumber(const Json& quantity) {
  if (quantity.is_number_integer()) return quantity.get<std::int64_t>();
  if (!quantity.is_string()) return 0;
  const auto& text = quantity.get_ref<const std::string&>();
  std::int64_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && rest == text.data() + text.size() ? number : 0;
}

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

std::int64_t AcceleratorsRequested(const Json& pod_spec) {
  std::int64_t sum = 0;
  for (const Json& container : Field(pod_spec, "/containers")) {
    for (const auto& [name, quantity] : Field(container, "/resources/limits").items()) {
      if (IsAcceleratorResource(name)) sum += WholeNumber(quantity);
    }
  }
  return sum;
}

}  // namespace controllers
