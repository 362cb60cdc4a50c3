// SPDX-License-Identifier: Apache-2.0
#include "kube/resource.h"

namespace kube {

std::string Resource::ApiVersion() const { return group.empty() ? version : group + '/' + version; }

std::string Resource::Path(const std::string& name_space, const std::string& name,
                           const std::string& subresource) const {
  std::string path = (group.empty() ? "/api/" : "/apis/" + group + '/') + version;
  if (namespaced && !name_space.empty()) path += "/namespaces/" + name_space;
  path += '/' + resource;
  if (!name.empty()) path += '/' + name;
  if (!subresource.empty()) path += '/' + subresource;
  return path;
}

std::string ObjectKey::ToString() const {
  return name_space.empty() ? name : name_space + '/' + name;
}

}  // namespace kube
