// SPDX-License-Identifier: Apache-2.0
#include "controllers/status/field.h"

#include <nlohmann/json.hpp>

namespace controllers {

const kube::Json& Field(const kube::Json& object, const char* pointer) {
  static const kube::Json absent;
  const kube::Json::json_pointer path(pointer);
  return object.contains(path) ? object.at(path) : absent;
}

std::int64_t IntegerField(const kube::Json& object, const char* pointer, std::int64_t otherwise) {
  const kube::Json& value = Field(object, pointer);
  return value.is_number_integer() ? value.get<std::int64_t>() : otherwise;
}

}  // namespace controllers
