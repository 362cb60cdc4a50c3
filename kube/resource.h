// SPDX-License-Identifier: Apache-2.0
// Which resource a call is about, and how one object of it is named.
#pragma once

#include <compare>
#include <string>

namespace kube {

// A resource as the API server serves it. A plain value; `resource` is the plural.
struct Resource {
  std::string group;  // empty: the core group
  std::string version;
  std::string resource;  // "pods"
  std::string kind;      // "Pod"
  bool namespaced = true;

  // "v1" or "batch/v1".
  std::string ApiVersion() const;
  // "/api/v1/namespaces/NS/pods/NAME" and so on; an empty name_space means all namespaces.
  std::string Path(const std::string& name_space, const std::string& name = {},
                   const std::string& subresource = {}) const;

  friend auto operator<=>(const Resource&, const Resource&) = default;
};

// The name of one object; name_space is empty for cluster-scoped ones. Also what a reconciler gets.
struct ObjectKey {
  std::string name_space;
  std::string name;

  // "ns/name" or "name".
  std::string ToString() const;

  friend auto operator<=>(const ObjectKey&, const ObjectKey&) = default;
};

}  // namespace kube
