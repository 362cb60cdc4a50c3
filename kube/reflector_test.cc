// SPDX-License-Identifier: Apache-2.0
// After any sequence of faults the cache equals the server. The server here is a script: a real one
// can't be made to send these faults on demand.
#include "kube/reflector.h"

#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <random>
#include <thread>

#include "kube/cache.h"
#include "kube/error_status.h"
#include "kube/scripted_stream.h"

namespace kube {
namespace {

using std::chrono::milliseconds;

const Resource kThings{"example.dev", "v1", "things", "Thing", true};

Json Thing(const std::string& name, int version) {
  return {{"metadata",
           {{"name", name},
            {"namespace", "ns"},
            {"uid", "uid-" + name},
            {"resourceVersion", std::to_string(version)}}}};
}

std::string Event(const char* type, const Json& object) {
  return Json{{"type", type}, {"object", object}}.dump() + '\n';
}

// Objects with a history, and faults on the way to whoever watches them.
class FaultyServer final : public Client {
 public:
  explicit FaultyServer(unsigned seed) : random_(seed) {}

  void Change() {
    const std::lock_guard lock(mutex_);
    ++version_;
    const std::string name = "t" + std::to_string(random_() % 10);
    const auto known = objects_.find(name);
    const char* type = known == objects_.end() ? "ADDED" : "MODIFIED";
    if (known != objects_.end() && random_() % 3 == 0) {
      objects_.erase(known);
      type = "DELETED";
    } else {
      objects_[name] = version_;
    }
    history_.push_back({version_, Event(type, Thing(name, version_))});
  }

  std::map<std::string, int> objects() const {
    const std::lock_guard lock(mutex_);
    return objects_;
  }
  void StopFaults() {
    const std::lock_guard lock(mutex_);
    faults_ = false;
  }

  std::string List(const Resource&, const ListOptions&, const std::function<void(Json)>& item,
                   const CallOptions&) override {
    const std::lock_guard lock(mutex_);
    int left = faults_ && random_() % 3 == 0 ? 2 : 1'000;
    for (const auto& [name, version] : objects_) {
      if (left-- == 0) throw ApiError(ErrorReason::kGone, 410, "the continue token has expired");
      item(Thing(name, version));
    }
    return std::to_string(version_);
  }

  std::unique_ptr<ByteStream> Watch(const Resource&, const WatchOptions& watch,
                                    const CallOptions&) override {
    const std::lock_guard lock(mutex_);
    const unsigned fault = faults_ ? random_() % 8 : 7;
    if (fault == 0) throw ApiError(ErrorReason::kUnavailable, 0, "connection refused");
    if (fault == 1) throw ApiError(ErrorReason::kGone, 410, "too old");
    if (watch.send_initial_events && fault == 2) throw ApiError(ErrorReason::kInvalid, 422, "no");
    std::deque<std::string> pieces;
    int from = watch.resource_version.empty() ? 0 : std::stoi(watch.resource_version);
    if (watch.send_initial_events) {
      for (const auto& [name, version] : objects_) {
        pieces.push_back(Event("ADDED", Thing(name, version)));
      }
      from = version_;
      pieces.push_back(
          Event("BOOKMARK", {{"metadata",
                              {{"resourceVersion", std::to_string(version_)},
                               {"annotations", {{"k8s.io/initial-events-end", "true"}}}}}}));
    }
    for (const auto& [version, event] : history_) {
      if (version > from) pieces.push_back(event);
    }
    if (fault == 3) {
      pieces.push_back(Event("ERROR", {{"kind", "Status"}, {"code", 410}, {"reason", "Expired"}}));
    }
    if (fault == 4 && !pieces.empty()) pieces.back().resize(pieces.back().size() / 2);
    if (fault == 5) pieces.push_back("garbage\n");
    if (fault == 6 && !pieces.empty()) pieces.push_back(pieces.back());  // a duplicate
    const bool cut = fault == 4 || random_() % 2 == 0;
    return std::make_unique<ScriptedStream>(std::move(pieces), cut && faults_
                                                                   ? ScriptedStream::End::kCut
                                                                   : ScriptedStream::End::kOrderly);
  }

  bool Serves(const Resource&, const CallOptions&) override { return true; }

  // Not used by a cache.
  Json Get(const Resource&, const ObjectKey&, const CallOptions&) override { return {}; }
  Json Create(const Resource&, const Json&, const CallOptions&) override { return {}; }
  Json Update(const Resource&, const Json&, const CallOptions&) override { return {}; }
  Json UpdateStatus(const Resource&, const Json&, const CallOptions&) override { return {}; }
  Json Patch(const Resource&, const ObjectKey&, const Json&, const PatchOptions&,
             const CallOptions&) override {
    return {};
  }
  void Delete(const Resource&, const ObjectKey&, const DeleteOptions&,
              const CallOptions&) override {}
  std::unique_ptr<ByteStream> Logs(const ObjectKey&, const LogOptions&,
                                   const CallOptions&) override {
    return nullptr;
  }
  RawResponse GetRaw(const std::string&, std::size_t, const CallOptions&) override { return {}; }

 private:
  mutable std::mutex mutex_;
  std::mt19937 random_;
  bool faults_ = true;
  int version_ = 1;
  std::map<std::string, int> objects_;
  std::vector<std::pair<int, std::string>> history_;
};

// What a receiver has been told, checked as it is told.
class Copy final : public ReflectorReceiver {
 public:
  void Put(Json object) override {
    const std::lock_guard lock(mutex_);
    known_[NameOf(object)] = std::stoi(ResourceVersionOf(object));
  }
  void Remove(const Json& object) override {
    const std::lock_guard lock(mutex_);
    known_.erase(NameOf(object));
  }
  void Listed(const std::set<ObjectKey>& listed) override {
    const std::lock_guard lock(mutex_);
    for (auto entry = known_.begin(); entry != known_.end();) {
      entry = listed.contains({"ns", entry->first}) ? std::next(entry) : known_.erase(entry);
    }
  }
  std::map<std::string, int> known() const {
    const std::lock_guard lock(mutex_);
    return known_;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, int> known_;
};

TEST(ReflectorTest, AfterAnyFaultsTheCopyEqualsTheServer) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    FaultyServer server(seed);
    Copy copy;
    std::stop_source stop;
    {
      std::jthread reflecting([&] {
        Reflector(server,
                  {.resource = kThings,
                   .name_space = "ns",
                   .first_backoff = milliseconds(1),
                   .max_backoff = milliseconds(2)},
                  copy, nullptr)
            .Run(stop.get_token());
      });
      for (int i = 0; i < 60; ++i) {
        server.Change();
        if (i % 10 == 0) std::this_thread::sleep_for(milliseconds(1));
      }
      server.StopFaults();
      server.Change();
      for (int i = 0; i < 5'000 && copy.known() != server.objects(); ++i) {
        std::this_thread::sleep_for(milliseconds(1));
      }
      EXPECT_EQ(copy.known(), server.objects()) << "seed " << seed;
      stop.request_stop();
    }
  }
}

TEST(CacheTest, HandlersSeeEveryObjectsLastState) {
  FaultyServer server(1);
  const auto cache = NewCache(server);
  Informer& things = cache->InformerFor({.resource = kThings, .namespaces = {"ns"}});
  things.AddIndex("parity", [](const Json& thing) {
    return std::vector<std::string>{std::stoi(ResourceVersionOf(thing)) % 2 == 0 ? "even" : "odd"};
  });
  std::mutex mutex;
  std::map<std::string, int> seen;
  things.AddEventHandler({.on_add =
                              [&](const ObjectPtr& thing, bool) {
                                const std::lock_guard lock(mutex);
                                EXPECT_FALSE(seen.contains(NameOf(*thing))) << "added twice";
                                seen[NameOf(*thing)] = std::stoi(ResourceVersionOf(*thing));
                              },
                          .on_update =
                              [&](const ObjectPtr& before, const ObjectPtr& after) {
                                const std::lock_guard lock(mutex);
                                EXPECT_NE(ResourceVersionOf(*before), ResourceVersionOf(*after));
                                seen[NameOf(*after)] = std::stoi(ResourceVersionOf(*after));
                              },
                          .on_delete =
                              [&](const ObjectPtr& thing, bool) {
                                const std::lock_guard lock(mutex);
                                EXPECT_EQ(seen.erase(NameOf(*thing)), 1U);
                              }});
  server.StopFaults();
  std::stop_source stop;
  cache->Start(stop.get_token());
  ASSERT_TRUE(cache->WaitForSync(stop.get_token(), std::chrono::seconds(10)));
  for (int i = 0; i < 200; ++i) server.Change();
  const auto same = [&] {
    const std::lock_guard lock(mutex);
    return seen == server.objects();
  };
  for (int i = 0; i < 5'000 && !same(); ++i) std::this_thread::sleep_for(milliseconds(1));
  EXPECT_TRUE(same());
  EXPECT_EQ(things.ByIndex("parity", "even").size() + things.ByIndex("parity", "odd").size(),
            things.Size());

  // A handler that comes late hears of everything that is known.
  std::size_t late = 0;
  things.AddEventHandler({.on_add = [&](const ObjectPtr&, bool) { ++late; }});
  EXPECT_EQ(late, things.Size());
  stop.request_stop();
  cache->Stop();
}

}  // namespace
}  // namespace kube
