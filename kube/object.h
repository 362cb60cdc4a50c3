// SPDX-License-Identifier: Apache-2.0
// Objects are JSON as the API server sent it; these read what every object has. A missing field
// reads as empty, never throws.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "kube/resource.h"

namespace kube {

using Json = nlohmann::json;

ObjectKey KeyOf(const Json& object);
std::string NameOf(const Json& object);
std::string NamespaceOf(const Json& object);
std::string UidOf(const Json& object);
std::string ResourceVersionOf(const Json& object);
std::int64_t GenerationOf(const Json& object);
std::string LabelOf(const Json& object, const std::string& key);
std::string AnnotationOf(const Json& object, const std::string& key);
std::map<std::string, std::string> LabelsOf(const Json& object);
bool IsBeingDeleted(const Json& object);

// The value at a JSON pointer ("/status/phase") as a string; empty if absent or not a string.
std::string StringAt(const Json& object, const std::string& pointer);

}  // namespace kube
