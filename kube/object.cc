// SPDX-License-Identifier: Apache-2.0
#include "kube/object.h"

#include <nlohmann/json.hpp>

namespace kube {
namespace {

// Null when there is none.
const Json* Metadata(const Json& object) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find("metadata");
  return found != object.end() && found->is_object() ? &*found : nullptr;
}

std::string MetadataString(const Json& object, const char* field) {
  const Json* const metadata = Metadata(object);
  if (metadata == nullptr) return {};
  const auto found = metadata->find(field);
  return found != metadata->end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string EntryOf(const Json& object, const char* map, const std::string& key) {
  const Json* const metadata = Metadata(object);
  if (metadata == nullptr) return {};
  const auto entries = metadata->find(map);
  if (entries == metadata->end() || !entries->is_object()) return {};
  const auto found = entries->find(key);
  return found != entries->end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

ObjectKey KeyOf(const Json& object) { return {NamespaceOf(object), NameOf(object)}; }
std::string NameOf(const Json& object) { return MetadataString(object, "name"); }
std::string NamespaceOf(const Json& object) { return MetadataString(object, "namespace"); }
std::string UidOf(const Json& object) { return MetadataString(object, "uid"); }
std::string ResourceVersionOf(const Json& object) {
  return MetadataString(object, "resourceVersion");
}

std::int64_t GenerationOf(const Json& object) {
  const Json* const metadata = Metadata(object);
  if (metadata == nullptr) return 0;
  const auto found = metadata->find("generation");
  return found != metadata->end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

std::string LabelOf(const Json& object, const std::string& key) {
  return EntryOf(object, "labels", key);
}
std::string AnnotationOf(const Json& object, const std::string& key) {
  return EntryOf(object, "annotations", key);
}

std::map<std::string, std::string> LabelsOf(const Json& object) {
  std::map<std::string, std::string> labels;
  const Json* const metadata = Metadata(object);
  if (metadata == nullptr) return labels;
  const auto found = metadata->find("labels");
  if (found == metadata->end() || !found->is_object()) return labels;
  for (const auto& [key, value] : found->items()) {
    if (value.is_string()) labels[key] = value.get<std::string>();
  }
  return labels;
}

bool IsBeingDeleted(const Json& object) {
  return !MetadataString(object, "deletionTimestamp").empty();
}

std::string StringAt(const Json& object, const std::string& pointer) {
  const Json::json_pointer path(pointer);
  if (!object.contains(path)) return {};
  const Json& value = object.at(path);
  return value.is_string() ? value.get<std::string>() : std::string();
}

}  // namespace kube
