// SPDX-License-Identifier: Apache-2.0
#include "kube/cache.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <list>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "kube/log.h"
#include "kube/metrics.h"
#include "kube/reflector.h"
#include "kube/store.h"

namespace kube {
namespace {

Json WithoutManagedFields(Json object) {
  if (const auto metadata = object.find("metadata");
      metadata != object.end() && metadata->is_object()) {
    metadata->erase("managedFields");
  }
  return object;
}

class InformerImpl final : public Informer {
 public:
  InformerImpl(Client& client, InformerOptions options, MetricsRegistry* metrics)
      : client_(client), options_(std::move(options)), metrics_(metrics) {
    if (!options_.projection) options_.projection = WithoutManagedFields;
    std::vector<std::string> namespaces = options_.namespaces;
    if (namespaces.empty()) namespaces.emplace_back();
    for (const std::string& name_space : namespaces) {
      feeds_.emplace_back(*this, name_space);
    }
  }

  ~InformerImpl() override { Stop(); }
  InformerImpl(const InformerImpl&) = delete;
  InformerImpl& operator=(const InformerImpl&) = delete;

  const InformerOptions& options() const { return options_; }
  const Resource& resource() const override { return options_.resource; }

  void AddEventHandler(EventHandler handler) override {
    const std::lock_guard lock(dispatch_);
    for (const ObjectPtr& object : store_.List()) {
      Call([&] {
        if (handler.on_add) handler.on_add(object, true);
      });
    }
    handlers_.push_back(std::move(handler));
  }

  void AddIndex(const std::string& name,
                std::function<std::vector<std::string>(const Json&)> index) override {
    store_.AddIndex(name, std::move(index));
  }

  ObjectPtr Get(const ObjectKey& key) const override { return store_.Get(key); }
  std::vector<ObjectPtr> List() const override { return store_.List(); }
  std::vector<ObjectPtr> ByIndex(const std::string& name, const std::string& value) const override {
    return store_.ByIndex(name, value);
  }
  std::size_t Size() const override { return store_.Size(); }
  bool HasSynced() const override {
    return std::all_of(feeds_.begin(), feeds_.end(),
                       [](const Feed& feed) { return feed.synced.load(); });
  }

  bool IsReadable(const std::string& name_space) const override {
    return std::any_of(feeds_.begin(), feeds_.end(), [&](const Feed& feed) {
      return feed.readable && (feed.name_space.empty() || feed.name_space == name_space);
    });
  }

  void Start(const std::stop_token& stop, std::function<void()> on_sync) {
    if (started_) return;
    started_ = true;
    on_sync_ = std::move(on_sync);
    for (Feed& feed : feeds_) {
      feed.thread = std::jthread([this, &feed, stop] {
        Reflector(client_,
                  {.resource = options_.resource,
                   .name_space = feed.name_space,
                   .label_selector = options_.label_selector,
                   .field_selector = options_.field_selector,
                   .optional = options_.optional},
                  feed, metrics_)
            .Run(stop);
      });
    }
  }

  void Stop() {
    for (Feed& feed : feeds_) {
      if (feed.thread.joinable()) feed.thread.join();
    }
  }

 private:
  // One namespace (or all of them).
  struct Feed final : ReflectorReceiver {
    Feed(InformerImpl& of, std::string in) : informer(of), name_space(std::move(in)) {}
    void Put(Json object) override { informer.Put(std::move(object), !synced); }
    void Remove(const Json& object) override { informer.Remove(object); }
    void Listed(const std::set<ObjectKey>& listed) override { Replace(listed, true); }
    void Absent() override { Replace({}, false); }
    void Replace(const std::set<ObjectKey>& listed, bool is_readable) {
      readable = is_readable;
      informer.RemoveOthers(name_space, listed);
      if (!synced.exchange(true)) informer.on_sync_();
    }

    InformerImpl& informer;
    const std::string name_space;
    std::atomic<bool> synced{false};
    std::atomic<bool> readable{false};
    std::jthread thread;
  };

  void Put(Json object, bool initial) {
    const ObjectKey key = KeyOf(object);
    try {
      PutReadable(key, std::make_shared<const Json>(options_.projection(std::move(object))),
                  initial);
    } catch (const std::exception& error) {
      // By a projection or an index: one object must not keep the others from going on.
      Log(LogLevel::kError, "an object cannot be read",
          {{"resource", options_.resource.resource},
           {"object", key.ToString()},
           {"error", error.what()}});
      if (metrics_ != nullptr) {
        metrics_->Count("informer_unreadable_objects_total", "Objects that could not be kept.",
                        {{"resource", options_.resource.resource}});
      }
    }
  }

  void PutReadable(const ObjectKey& key, const ObjectPtr& after, bool initial) {
    const std::lock_guard lock(dispatch_);
    const ObjectPtr known = store_.Get(key);
    // A list repeats what is known.
    if (known && ResourceVersionOf(*known) == ResourceVersionOf(*after) &&
        UidOf(*known) == UidOf(*after)) {
      return;
    }
    // Deleted and made again while nobody watched: two objects, not one that changed.
    if (known && UidOf(*known) != UidOf(*after)) {
      store_.Remove(key);
      Tell([&](const EventHandler& handler) {
        if (handler.on_delete) handler.on_delete(known, true);
      });
    }
    const ObjectPtr before = store_.Put(key, after);
    Tell([&](const EventHandler& handler) {
      if (before) {
        if (handler.on_update) handler.on_update(before, after);
      } else if (handler.on_add) {
        handler.on_add(after, initial);
      }
    });
    Measure();
  }

  void Remove(const Json& object) {
    const std::lock_guard lock(dispatch_);
    if (!store_.Remove(KeyOf(object))) return;
    // The event holds the last state, newer than what is known.
    ObjectPtr last;
    try {
      last = std::make_shared<const Json>(options_.projection(object));
    } catch (const std::exception&) {
      last = std::make_shared<const Json>(object);  // unreduced rather than not told
    }
    Tell([&](const EventHandler& handler) {
      if (handler.on_delete) handler.on_delete(last, false);
    });
    Measure();
  }

  void RemoveOthers(const std::string& name_space, const std::set<ObjectKey>& listed) {
    const std::lock_guard lock(dispatch_);
    for (const ObjectKey& key : store_.Keys(name_space)) {
      if (listed.count(key) > 0) continue;
      const ObjectPtr last = store_.Remove(key);
      Tell([&](const EventHandler& handler) {
        if (handler.on_delete) handler.on_delete(last, true);
      });
    }
    Measure();
  }

  template <typename Function>
  void Tell(const Function& function) {
    for (const EventHandler& handler : handlers_) Call([&] { function(handler); });
  }

  // One handler's exception must not keep the others, or the cache, from going on.
  template <typename Function>
  void Call(const Function& function) {
    try {
      function();
    } catch (const std::exception& error) {
      Log(LogLevel::kError, "an event handler failed",
          {{"resource", options_.resource.resource}, {"error", error.what()}});
    }
  }

  void Measure() {
    if (metrics_ != nullptr) {
      metrics_->Set("informer_objects", "Objects in the cache.",
                    {{"resource", options_.resource.resource}}, static_cast<double>(store_.Size()));
    }
  }

  Client& client_;
  InformerOptions options_;
  MetricsRegistry* const metrics_;
  Store store_;
  std::mutex dispatch_;  // one change at a time, told to all handlers before the next
  std::vector<EventHandler> handlers_;  // guarded by dispatch_
  std::function<void()> on_sync_;
  bool started_ = false;
  std::list<Feed> feeds_;  // last: their threads end first
};

class CacheImpl final : public Cache {
 public:
  CacheImpl(Client& client, MetricsRegistry* metrics) : client_(client), metrics_(metrics) {}
  ~CacheImpl() override { Stop(); }
  CacheImpl(const CacheImpl&) = delete;
  CacheImpl& operator=(const CacheImpl&) = delete;

  Informer& InformerFor(const InformerOptions& options) override {
    const std::lock_guard lock(mutex_);
    for (const auto& informer : informers_) {
      const InformerOptions& known = informer->options();
      if (known.resource == options.resource && known.namespaces == options.namespaces &&
          known.label_selector == options.label_selector &&
          known.field_selector == options.field_selector) {
        return *informer;
      }
    }
    informers_.push_back(std::make_unique<InformerImpl>(client_, options, metrics_));
    return *informers_.back();
  }

  void Start(std::stop_token stop) override {
    const std::lock_guard lock(mutex_);
    if (!on_stop_) on_stop_.emplace(stop, [this] { stop_.request_stop(); });
    for (const auto& informer : informers_) {
      informer->Start(stop_.get_token(), [this] {
        const std::lock_guard sync_lock(sync_mutex_);
        synced_.notify_all();
      });
    }
  }

  bool WaitForSync(std::stop_token stop, std::chrono::milliseconds timeout) override {
    std::vector<InformerImpl*> informers;
    {
      const std::lock_guard lock(mutex_);
      for (const auto& informer : informers_) informers.push_back(informer.get());
    }
    std::unique_lock lock(sync_mutex_);
    return synced_.wait_for(lock, stop, timeout, [&] {
      return std::all_of(informers.begin(), informers.end(),
                         [](const InformerImpl* informer) { return informer->HasSynced(); });
    });
  }

  void Stop() override {
    stop_.request_stop();
    const std::lock_guard lock(mutex_);
    for (const auto& informer : informers_) informer->Stop();
  }

 private:
  Client& client_;
  MetricsRegistry* const metrics_;
  std::stop_source stop_;
  std::mutex sync_mutex_;
  std::condition_variable_any synced_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<InformerImpl>> informers_;
  std::optional<std::stop_callback<std::function<void()>>> on_stop_;
};

}  // namespace

std::unique_ptr<Cache> NewCache(Client& client, MetricsRegistry* metrics) {
  return std::make_unique<CacheImpl>(client, metrics);
}

}  // namespace kube
