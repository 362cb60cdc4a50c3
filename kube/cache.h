// SPDX-License-Identifier: Apache-2.0
// Informers: a local copy of what the API server has of a resource, kept up to date by one list and
// a watch, with handlers that hear of every change. Shared by several controllers.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <stop_token>
#include <string>
#include <vector>

#include "kube/client.h"

namespace kube {

// An object in the cache: immutable, shared, never null.
using ObjectPtr = std::shared_ptr<const Json>;

struct InformerOptions {
  Resource resource;
  std::vector<std::string> namespaces;  // empty: all
  std::string label_selector;
  std::string field_selector;
  // Reduces an object before it is kept, so that memory holds only what is read. Empty: all but
  // metadata.managedFields. Must keep metadata.{name,namespace,uid,resourceVersion}.
  std::function<Json(Json)> projection;
  // Where the resource may not exist (a CRD that isn't installed) or may not be read by us: the
  // informer then counts as synced and empty, and looks again now and then.
  bool optional = false;
};

// Called in order, never two at the same time, from the informer's threads (one a namespace); must
// not block, nor add handlers. A handler added late first hears on_add for everything known, from
// the thread that adds it.
struct EventHandler {
  std::function<void(const ObjectPtr& object, bool in_initial_list)> on_add;
  std::function<void(const ObjectPtr& before, const ObjectPtr& after)> on_update;
  // final_state_unknown: the deletion itself was missed, this is the last state that was seen.
  std::function<void(const ObjectPtr& object, bool final_state_unknown)> on_delete;
};

// Thread-safe.
class Informer {
 public:
  virtual ~Informer() = default;

  virtual const Resource& resource() const = 0;
  virtual void AddEventHandler(EventHandler handler) = 0;
  // Keeps sets of objects by the strings that `index` returns. Only before the cache starts.
  virtual void AddIndex(const std::string& name,
                        std::function<std::vector<std::string>(const Json&)> index) = 0;

  virtual ObjectPtr Get(const ObjectKey& key) const = 0;  // nullptr: not there
  virtual std::vector<ObjectPtr> List() const = 0;
  virtual std::vector<ObjectPtr> ByIndex(const std::string& name,
                                         const std::string& value) const = 0;
  virtual std::size_t Size() const = 0;
  // The initial list is in, and the handlers have heard all of it.
  virtual bool HasSynced() const = 0;
  // False: empty because the resource (InformerOptions::optional) isn't served, or may not be read
  // in that namespace; or not synced yet.
  virtual bool IsReadable(const std::string& name_space) const = 0;
};

// All informers of a process. Informers live as long as the cache.
class Cache {
 public:
  virtual ~Cache() = default;
  // The same options (resource, namespaces, selectors) give the same informer. The first caller's
  // projection counts.
  virtual Informer& InformerFor(const InformerOptions& options) = 0;
  // Starts what is not yet running; returns at once.
  virtual void Start(std::stop_token stop) = 0;
  // False when stopped or out of time first.
  virtual bool WaitForSync(std::stop_token stop, std::chrono::milliseconds timeout) = 0;
  // Ends all watches and joins their threads.
  virtual void Stop() = 0;
};

std::unique_ptr<Cache> NewCache(Client& client, MetricsRegistry* metrics = nullptr);

}  // namespace kube
