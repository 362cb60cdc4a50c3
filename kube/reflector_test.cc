// SPDX-License-Identifier: Apache-2.0
// After any sequence of faults the cache equals the server. The server here is a script: a real one
// can't be made to send these faults on demand.
#include "kube/reflector.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <mutex>
#include <random>
#include <thread>

#include "kube/cache.h"
#include "kube/error_status.h"
#include "kube/scripted_stream.h"
#include "kube/watch_decoder.h"
#include "kube/watch_only_client.h"

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
class FaultyServer final : public WatchOnlyClient {
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

using Answer = std::function<std::unique_ptr<ByteStream>()>;

Answer Bytes(std::string text, ScriptedStream::End end = ScriptedStream::End::kOrderly) {
  return [text = std::move(text), end] {
    return std::make_unique<ScriptedStream>(std::deque<std::string>{text}, end);
  };
}
Answer Refuse(ErrorReason reason, int status, const std::string& message = {}) {
  return [=]() -> std::unique_ptr<ByteStream> {
    ApiError error(reason, status, "watch things: " + message);
    error.message = message;
    throw error;
  };
}

Json Bookmark(int version, bool ends_list = false) {
  Json bookmark{{"metadata", {{"resourceVersion", std::to_string(version)}}}};
  if (ends_list) bookmark["metadata"]["annotations"]["k8s.io/initial-events-end"] = "true";
  return bookmark;
}
// A streaming list of these.
std::string Stream(const std::vector<Json>& things, int version) {
  std::string text;
  for (const Json& thing : things) text += Event("ADDED", thing);
  return text + Event("BOOKMARK", Bookmark(version, true));
}

// Gives prepared answers to watches, one after another, and remembers what was asked. After the
// last one nothing comes until the reflector is stopped.
class ScriptedServer final : public WatchOnlyClient {
 public:
  explicit ScriptedServer(std::deque<Answer> answers) : answers_(std::move(answers)) {}

  std::vector<Json> listed;  // by pages
  int list_version = 0;
  bool serves = true;

  bool Serves(const Resource&, const CallOptions&) override { return serves; }
  std::string List(const Resource&, const ListOptions&, const std::function<void(Json)>& item,
                   const CallOptions&) override {
    Asked("list");
    for (const Json& thing : listed) item(thing);
    return std::to_string(list_version);
  }
  std::unique_ptr<ByteStream> Watch(const Resource&, const WatchOptions& watch,
                                    const CallOptions& call) override {
    Answer answer;
    {
      const std::lock_guard lock(mutex_);
      if (!answers_.empty()) {
        answer = std::move(answers_.front());
        answers_.pop_front();
      } else {
        done_ = true;
      }
    }
    Asked(watch.send_initial_events ? "stream" : "watch " + watch.resource_version);
    if (answer) return answer();
    while (!call.stop.stop_requested()) std::this_thread::sleep_for(milliseconds(1));
    throw ApiError(ErrorReason::kCancelled, 0, "stopped");
  }

  // Runs a reflector until all answers have been given, and returns what it asked for.
  std::vector<std::string> Play(ReflectorReceiver& receiver, bool optional = false,
                                milliseconds backoff = milliseconds(1)) {
    std::stop_source stop;
    std::jthread reflecting([&] {
      Reflector(*this,
                {.resource = kThings,
                 .name_space = "ns",
                 .optional = optional,
                 .first_backoff = backoff,
                 .max_backoff = backoff * 4},
                receiver, nullptr)
          .Run(stop.get_token());
    });
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    for (;;) {
      {
        const std::lock_guard lock(mutex_);
        if (done_) break;
      }
      if (std::chrono::steady_clock::now() > until) {
        ADD_FAILURE() << "not all answers were asked for";
        break;
      }
      std::this_thread::sleep_for(milliseconds(1));
    }
    stop.request_stop();
    reflecting.join();
    return asked_;
  }

 private:
  void Asked(const std::string& what) {
    const std::lock_guard lock(mutex_);
    asked_.push_back(what);
  }

  std::mutex mutex_;
  std::deque<Answer> answers_;
  bool done_ = false;
  std::vector<std::string> asked_;
};

// All calls, in words.
class Diary final : public ReflectorReceiver {
 public:
  void Put(Json object) override {
    text += "put " + NameOf(object) + ResourceVersionOf(object) + "; ";
  }
  void Remove(const Json& object) override { text += "remove " + NameOf(object) + "; "; }
  void Listed(const std::set<ObjectKey>& listed) override {
    text += "listed";
    for (const ObjectKey& key : listed) text += ' ' + key.name;
    text += "; ";
  }
  std::string text;
};

using Asked = std::vector<std::string>;

TEST(ReflectorTest, AnExpiredVersionListsAgainInEachForm) {
  const Json expired{{"kind", "Status"}, {"reason", "Expired"}, {"code", 410}};
  const Json named{{"kind", "Status"}, {"reason", "Expired"}};
  const Json counted{{"kind", "Status"}, {"reason", "Unknown"}, {"code", 410}};
  for (const Answer& gone :
       {Refuse(ErrorReason::kGone, 410, "too old resource version"), Bytes(Event("ERROR", expired)),
        Bytes(Event("ERROR", named)), Bytes(Event("ERROR", counted))}) {
    ScriptedServer server({Bytes(Stream({Thing("a", 1), Thing("b", 2)}, 5)), gone,
                           Bytes(Stream({Thing("b", 7)}, 9))});
    Diary diary;
    EXPECT_EQ(server.Play(diary), (Asked{"stream", "watch 5", "stream", "watch 9"}));
    // Nothing is dropped meanwhile; the second list says what is gone.
    EXPECT_EQ(diary.text, "put a1; put b2; listed a b; put b7; listed b; ");
  }
}

TEST(ReflectorTest, ABookmarkMovesTheVersion) {
  ScriptedServer server({Bytes(Stream({}, 5)), Bytes(Event("BOOKMARK", Bookmark(40))),
                         Bytes(Event("DELETED", Thing("a", 50)))});
  Diary diary;
  EXPECT_EQ(server.Play(diary), (Asked{"stream", "watch 5", "watch 40", "watch 50"}));
  EXPECT_EQ(diary.text, "listed; remove a; ");
}

TEST(ReflectorTest, AServerWithoutStreamingListsGivesPages) {
  const std::string unsupported =
      "a watch stream was requested by the client but the required storage feature "
      "RequestWatchProgress is disabled";
  const Json error{{"kind", "Status"}, {"code", 500}, {"message", unsupported}};
  for (const Answer& refused :
       {Refuse(ErrorReason::kInvalid, 422), Refuse(ErrorReason::kBadRequest, 400),
        Bytes(Event("ERROR", error))}) {
    ScriptedServer server({refused, Refuse(ErrorReason::kGone, 410)});
    server.listed = {Thing("a", 1)};
    server.list_version = 3;
    Diary diary;
    EXPECT_EQ(server.Play(diary), (Asked{"stream", "list", "watch 3", "list", "watch 3"}));
  }
  // Another internal error says nothing about the next time.
  ScriptedServer server({Refuse(ErrorReason::kInternal, 500, "etcdserver: leader changed"),
                         Refuse(ErrorReason::kGone, 410), Bytes(Stream({}, 9))});
  Diary diary;
  EXPECT_EQ(server.Play(diary), (Asked{"stream", "list", "watch 0", "stream", "watch 9"}));
}

TEST(ReflectorTest, AStreamThatEndsBeforeTheListIsCompleteIsNoList) {
  for (const auto end : {ScriptedStream::End::kOrderly, ScriptedStream::End::kCut}) {
    ScriptedServer server(
        {Bytes(Event("ADDED", Thing("a", 1)), end), Bytes(Stream({Thing("b", 2)}, 5))});
    Diary diary;
    EXPECT_EQ(server.Play(diary), (Asked{"stream", "stream", "watch 5"}));
    EXPECT_EQ(diary.text, "put a1; put b2; listed b; ");
  }
}

TEST(ReflectorTest, AWatchThatIsClosedAtOnceIsNotAskedForAgainAtOnce) {
  ScriptedServer server({Bytes(Stream({}, 5)), Bytes(""), Bytes(""), Bytes("")});
  Diary diary;
  const auto began = std::chrono::steady_clock::now();
  server.Play(diary, /*optional=*/false, milliseconds(50));
  EXPECT_GE(std::chrono::steady_clock::now() - began, milliseconds(50 + 100 + 200));
}

TEST(ReflectorTest, NoAnswerEndsIt) {
  ScriptedServer server(
      {Bytes(Stream({}, 5)), Bytes(Event("ERROR", {{"code", "four hundred"}, {"reason", 7}})),
       Bytes("null\n[1]\n{\"type\":3}\n" + Event("ADDED", {{"metadata", "none"}})),
       Bytes(std::string(WatchDecoder::kMaxEventBytes + (1 << 20), 'x')),
       Bytes(Stream({Thing("a", 8)}, 9))});
  Diary diary;
  // An event that is too large would come again: list instead.
  EXPECT_EQ(server.Play(diary),
            (Asked{"stream", "watch 5", "watch 5", "watch 5", "stream", "watch 9"}));
  EXPECT_EQ(diary.text, "listed; put ; put a8; listed a; ");
}

TEST(ReflectorTest, AnOptionalResourceThatMayNotBeReadIsEmpty) {
  ScriptedServer server({Refuse(ErrorReason::kForbidden, 403), Refuse(ErrorReason::kForbidden, 403),
                         Bytes(Stream({Thing("a", 1)}, 5)), Refuse(ErrorReason::kForbidden, 403)});
  Diary diary;
  server.Play(diary, /*optional=*/true);
  EXPECT_EQ(diary.text, "listed; put a1; listed a; ");

  ScriptedServer needed({Refuse(ErrorReason::kForbidden, 403)});
  Diary none;
  needed.Play(none);
  EXPECT_EQ(none.text, "");
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

TEST(CacheTest, AnObjectThatCannotBeReadDoesNotKeepTheOthers) {
  ScriptedServer server({Bytes(Stream({Thing("a", 1), Thing("bad", 2), Thing("c", 3)}, 5))});
  const auto metrics = NewMetricsRegistry();
  const auto cache = NewCache(server, metrics.get());
  Informer& things = cache->InformerFor({.resource = kThings, .namespaces = {"ns"}});
  things.AddIndex("name", [](const Json& thing) {
    if (NameOf(thing) == "bad") throw std::runtime_error("what is this?");
    return std::vector<std::string>{NameOf(thing)};
  });
  std::stop_source stop;
  cache->Start(stop.get_token());
  EXPECT_TRUE(cache->WaitForSync(stop.get_token(), std::chrono::seconds(10)));
  EXPECT_EQ(things.Size(), 2U);
  EXPECT_EQ(things.ByIndex("name", "c").size(), 1U);
  EXPECT_EQ(things.Get({"ns", "bad"}), nullptr);
  EXPECT_NE(metrics->Render().find("informer_unreadable_objects_total{resource=\"things\"} 1"),
            std::string::npos)
      << metrics->Render();
  stop.request_stop();
  cache->Stop();
}

TEST(CacheTest, AnObjectMadeAnewUnseenIsToldAsDeletedAndAdded) {
  Json other = Thing("a", 7);
  other["metadata"]["uid"] = "another";
  ScriptedServer server({Bytes(Stream({Thing("a", 1), Thing("b", 2)}, 5)),
                         Refuse(ErrorReason::kGone, 410), Bytes(Stream({other}, 9))});
  const auto cache = NewCache(server);
  Informer& things = cache->InformerFor({.resource = kThings, .namespaces = {"ns"}});
  std::mutex mutex;
  std::string told;
  const auto tell = [&](const std::string& what, const ObjectPtr& thing) {
    const std::lock_guard lock(mutex);
    told += what + NameOf(*thing) + ResourceVersionOf(*thing) + ' ';
  };
  things.AddEventHandler(
      {.on_add = [&](const ObjectPtr& thing, bool initial) { tell(initial ? "+i" : "+", thing); },
       .on_update = [&](const ObjectPtr&, const ObjectPtr& thing) { tell("~", thing); },
       .on_delete = [&](const ObjectPtr& thing,
                        bool unknown) { tell(unknown ? "-?" : "-", thing); }});
  std::stop_source stop;
  cache->Start(stop.get_token());
  const std::string expected = "+ia1 +ib2 -?a1 +a7 -?b2 ";
  for (int i = 0; i < 10'000; ++i) {
    {
      const std::lock_guard lock(mutex);
      if (told == expected) break;
    }
    std::this_thread::sleep_for(milliseconds(1));
  }
  stop.request_stop();
  cache->Stop();
  EXPECT_EQ(told, expected);
}

}  // namespace
}  // namespace kube
