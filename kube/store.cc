// SPDX-License-Identifier: Apache-2.0
#include "kube/store.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace kube {

void Store::AddIndex(const std::string& name,
                     std::function<std::vector<std::string>(const Json&)> index) {
  const std::lock_guard lock(mutex_);
  indexes_.emplace(name, Index{std::move(index), {}});
}

ObjectPtr Store::Get(const ObjectKey& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = objects_.find(key);
  return found == objects_.end() ? nullptr : found->second;
}

std::vector<ObjectPtr> Store::List() const {
  const std::lock_guard lock(mutex_);
  std::vector<ObjectPtr> objects;
  objects.reserve(objects_.size());
  for (const auto& [key, object] : objects_) objects.push_back(object);
  return objects;
}

std::vector<ObjectPtr> Store::ByIndex(const std::string& name, const std::string& value) const {
  const std::lock_guard lock(mutex_);
  std::vector<ObjectPtr> objects;
  const auto index = indexes_.find(name);
  if (index == indexes_.end()) return objects;
  const auto keys = index->second.keys.find(value);
  if (keys == index->second.keys.end()) return objects;
  for (const ObjectKey& key : keys->second) objects.push_back(objects_.at(key));
  return objects;
}

std::size_t Store::Size() const {
  const std::lock_guard lock(mutex_);
  return objects_.size();
}

std::vector<ObjectKey> Store::Keys(const std::string& name_space) const {
  const std::lock_guard lock(mutex_);
  std::vector<ObjectKey> keys;
  for (const auto& [key, object] : objects_) {
    if (name_space.empty() || key.name_space == name_space) keys.push_back(key);
  }
  return keys;
}

ObjectPtr Store::Put(const ObjectKey& key, ObjectPtr object) {
  const std::lock_guard lock(mutex_);
  ObjectPtr& slot = objects_[key];
  ObjectPtr before = std::exchange(slot, std::move(object));
  if (before) Unindex(key, *before);
  for (auto& [name, index] : indexes_) {
    for (const std::string& value : index.values(*slot)) index.keys[value].insert(key);
  }
  return before;
}

ObjectPtr Store::Remove(const ObjectKey& key) {
  const std::lock_guard lock(mutex_);
  const auto found = objects_.find(key);
  if (found == objects_.end()) return nullptr;
  ObjectPtr before = std::move(found->second);
  objects_.erase(found);
  Unindex(key, *before);
  return before;
}

void Store::Unindex(const ObjectKey& key, const Json& object) {
  for (auto& [name, index] : indexes_) {
    for (const std::string& value : index.values(object)) {
      const auto keys = index.keys.find(value);
      if (keys == index.keys.end()) continue;
      keys->second.erase(key);
      if (keys->second.empty()) index.keys.erase(keys);
    }
  }
}

}  // namespace kube
