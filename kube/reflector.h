// SPDX-License-Identifier: Apache-2.0
// Keeps a receiver's copy of a resource in one namespace (or all) equal to what the server has.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <random>
#include <set>
#include <stop_token>
#include <string>

#include "kube/client.h"
#include "kube/metrics.h"

namespace kube {

// Where a reflector puts what it reads. Called from the reflector's thread only.
class ReflectorReceiver {
 public:
  virtual ~ReflectorReceiver() = default;
  virtual void Put(Json object) = 0;
  virtual void Remove(const Json& object) = 0;
  // A complete list has been put in; what is known beside `listed` was deleted unseen.
  virtual void Listed(const std::set<ObjectKey>& listed) = 0;
  // An optional resource isn't served, or may not be read: instead of an empty list.
  virtual void Absent() { Listed({}); }
};

struct ReflectorOptions {
  Resource resource;
  std::string name_space;  // empty: all
  std::string label_selector;
  std::string field_selector;
  // May not exist, or may not be read by us: then it counts as empty.
  bool optional = false;
  std::chrono::milliseconds first_backoff{800};
  std::chrono::milliseconds max_backoff{30'000};
  std::chrono::seconds look_again{30};  // for an optional resource that isn't there
  // A watch in which nothing comes for this long, not even a bookmark (one a minute), is dead.
  std::chrono::milliseconds idle_timeout{150'000};
};

// A list, then a watch from where the list ended, for ever: a watch that ends is continued, an
// expired version (410, as an answer or as an event) lists again without forgetting what is known
// meanwhile. Errors are followed by an exponential backoff with jitter, reset once a watch has been
// good for a while.
class Reflector {
 public:
  // All references must outlive it; `metrics` may be null.
  Reflector(Client& client, ReflectorOptions options, ReflectorReceiver& receiver,
            MetricsRegistry* metrics);

  // Returns when stop is asked for.
  void Run(const std::stop_token& stop);

 private:
  void ListAndWatch(const std::stop_token& stop);
  void PagedList(const std::stop_token& stop);
  // False: the server has no streaming lists.
  bool StreamingList(const std::stop_token& stop);
  void WatchOn(const std::stop_token& stop);
  // Reads events to the end of the stream. With `listed`, until the bookmark that ends the initial
  // events has come, they are the list.
  void ReadEvents(ByteStream& stream, std::set<ObjectKey>* listed);
  void Listed(const std::set<ObjectKey>& listed);
  void Absent();
  void Failed(const std::string& what);
  void Sleep(std::chrono::milliseconds time, const std::stop_token& stop);
  std::chrono::milliseconds Backoff();
  std::chrono::seconds WatchTimeout();

  Client& client_;
  const ReflectorOptions options_;
  ReflectorReceiver& receiver_;
  MetricsRegistry* const metrics_;
  std::minstd_rand random_{std::random_device{}()};
  std::string version_;  // where the next watch begins; empty: list first
  bool streaming_ = true;
  bool listed_ = false;  // the receiver has had a complete list
  int failures_ = 0;
  std::string last_failure_;
};

}  // namespace kube
