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
  return found == objects_.end() ? nullptr : found->second.object;
}

std::vector<ObjectPtr> Store::List() const {
  const std::lock_guard lock(mutex_);
  std::vector<ObjectPtr> objects;
  objects.reserve(objects_.size());
  for (const auto& [key, entry] : objects_) objects.push_back(entry.object);
  return objects;
}

std::vector<ObjectPtr> Store::ByIndex(const std::string& name, const std::string& value) const {
  const std::lock_guard lock(mutex_);
  std::vector<ObjectPtr> objects;
  const auto index = indexes_.find(name);
  if (index == indexes_.end()) return objects;
  const auto keys = index->second.keys.find(value);
  if (keys == index->second.keys.end()) return objects;
  for (const ObjectKey& key : keys->second) objects.push_back(objects_.at(key).object);
  return objects;
}

std::size_t Store::Size() const {
  const std::lock_guard lock(mutex_);
  return objects_.size();
}

std::vector<ObjectKey> Store::Keys(const std::string& name_space) const {
  const std::lock_guard lock(mutex_);
  std::vector<ObjectKey> keys;
  for (const auto& [key, entry] : objects_) {
    if (name_space.empty() || key.name_space == name_space) keys.push_back(key);
  }
  return keys;
}

ObjectPtr Store::Put(const ObjectKey& key, ObjectPtr object) {
  const std::lock_guard lock(mutex_);
  Entry entry{std::move(object), {}};
  for (const auto& [name, index] : indexes_) entry.values.push_back(index.values(*entry.object));
  Entry& slot = objects_[key];
  Unindex(key, slot);
  ObjectPtr before = std::move(slot.object);
  slot = std::move(entry);
  auto values = slot.values.begin();
  for (auto& [name, index] : indexes_) {
    for (const std::string& value : *values) index.keys[value].insert(key);
    ++values;
  }
  return before;
}

ObjectPtr Store::Remove(const ObjectKey& key) {
  const std::lock_guard lock(mutex_);
  const auto found = objects_.find(key);
  if (found == objects_.end()) return nullptr;
  Unindex(key, found->second);
  ObjectPtr before = std::move(found->second.object);
  objects_.erase(found);
  return before;
}

void Store::Unindex(const ObjectKey& key, const Entry& entry) {
  auto values = entry.values.begin();
  for (auto& [name, index] : indexes_) {
    if (values == entry.values.end()) return;  // a new entry
    for (const std::string& value : *values) {
      const auto keys = index.keys.find(value);
      if (keys == index.keys.end()) continue;
      keys->second.erase(key);
      if (keys->second.empty()) index.keys.erase(keys);
    }
    ++values;
  }
}

}  // namespace kube
