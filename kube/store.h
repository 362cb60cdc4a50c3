// SPDX-License-Identifier: Apache-2.0
// The objects of one informer, with indexes.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "kube/cache.h"

namespace kube {

// Thread-safe.
class Store {
 public:
  // Only before objects are put in.
  void AddIndex(const std::string& name,
                std::function<std::vector<std::string>(const Json&)> index);

  ObjectPtr Get(const ObjectKey& key) const;
  std::vector<ObjectPtr> List() const;
  std::vector<ObjectPtr> ByIndex(const std::string& name, const std::string& value) const;
  std::size_t Size() const;
  // Keys of one namespace; of all when it is empty.
  std::vector<ObjectKey> Keys(const std::string& name_space) const;

  // Return what was there before; null: nothing. Put throws what an index function throws, and then
  // has changed nothing.
  ObjectPtr Put(const ObjectKey& key, ObjectPtr object);
  ObjectPtr Remove(const ObjectKey& key);

 private:
  struct Index {
    std::function<std::vector<std::string>(const Json&)> values;
    std::map<std::string, std::set<ObjectKey>> keys;  // by value
  };
  struct Entry {
    ObjectPtr object;
    std::vector<std::vector<std::string>> values;  // of each index, in their order
  };
  void Unindex(const ObjectKey& key, const Entry& entry);

  mutable std::mutex mutex_;
  std::map<ObjectKey, Entry> objects_;
  std::map<std::string, Index> indexes_;
};

}  // namespace kube
