// SPDX-License-Identifier: Apache-2.0
#include "kube/reflector.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "kube/error_status.h"
#include "kube/log.h"
#include "kube/watch_decoder.h"

namespace kube {
namespace {

using std::chrono::milliseconds;

using Clock = std::chrono::steady_clock;

constexpr char kInitialEventsEnd[] = "k8s.io/initial-events-end";
// An API server over an etcd before 3.4.31 or 3.5.13 names this feature in a streaming list's only
// event.
constexpr char kNeededStorageFeature[] = "RequestWatchProgress";
// A watch that ends sooner without an event is refused in all but name.
constexpr std::chrono::seconds kShortestWatch{1};
// After so long a good watch the next failure is a first one.
constexpr std::chrono::seconds kGoodWhile{10};

int CodeOf(const Json& status) {
  const auto code = status.find("code");
  return code != status.end() && code->is_number_integer() ? code->get<int>() : 500;
}

bool IsGone(const Json& status) {
  return CodeOf(status) == 410 || StringAt(status, "/reason") == "Expired" ||
         StringAt(status, "/reason") == "Gone";
}

}  // namespace

Reflector::Reflector(Client& client, ReflectorOptions options, ReflectorReceiver& receiver,
                     MetricsRegistry* metrics)
    : client_(client), options_(std::move(options)), receiver_(receiver), metrics_(metrics) {}

void Reflector::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    try {
      if (options_.optional && !client_.Serves(options_.resource, {.stop = stop})) {
        Absent();
        version_.clear();
        Sleep(options_.look_again, stop);
        continue;
      }
      ListAndWatch(stop);
    } catch (const ApiError& error) {
      if (stop.stop_requested()) return;
      // An event that cannot be read would come again and again.
      if (error.reason == ErrorReason::kGone || error.reason == ErrorReason::kDecode) {
        version_.clear();
      }
      // An optional resource whose CRD was removed.
      if (options_.optional && error.IsNotFound()) version_.clear();
      // One that may not be read is as good as absent; what was readable before stays known.
      if (options_.optional && error.IsForbidden() && !listed_) Absent();
      Failed(error.what());
      Sleep(std::max<milliseconds>(Backoff(), error.retry_after.value_or(std::chrono::seconds(0))),
            stop);
    } catch (const std::exception& error) {
      // Whatever a server sent that nobody thought of: begin anew.
      version_.clear();
      Failed(error.what());
      Sleep(Backoff(), stop);
    }
  }
}

void Reflector::ListAndWatch(const std::stop_token& stop) {
  if (!version_.empty()) {
    WatchOn(stop);
    return;
  }
  if (streaming_ && StreamingList(stop)) return;
  PagedList(stop);
  WatchOn(stop);
}

void Reflector::PagedList(const std::stop_token& stop) {
  std::set<ObjectKey> listed;
  version_ = client_.List(options_.resource,
                          {.name_space = options_.name_space,
                           .label_selector = options_.label_selector,
                           .field_selector = options_.field_selector},
                          [&](Json object) {
                            listed.insert(KeyOf(object));
                            receiver_.Put(std::move(object));
                          },
                          {.deadline = std::chrono::minutes(5), .stop = stop});
  Listed(listed);
}

bool Reflector::StreamingList(const std::stop_token& stop) {
  std::set<ObjectKey> listed;
  try {
    const auto stream = client_.Watch(options_.resource,
                                      {.name_space = options_.name_space,
                                       .label_selector = options_.label_selector,
                                       .field_selector = options_.field_selector,
                                       .send_initial_events = true,
                                       .timeout = WatchTimeout()},
                                      {.stop = stop});
    ReadEvents(*stream, &listed);
    return true;
  } catch (const ApiError& error) {
    // Servers before 1.32 refuse the parameter; a store without progress requests answers with an
    // internal error before the first event.
    const bool refused =
        error.reason == ErrorReason::kBadRequest || error.reason == ErrorReason::kInvalid;
    const bool failed = error.reason == ErrorReason::kInternal && version_.empty();
    if ((!refused && !failed) || stop.stop_requested()) throw;
    // An internal error of another kind may pass: the pages are for this time only.
    if (refused || error.message.find(kNeededStorageFeature) != std::string::npos) {
      streaming_ = false;
    }
    return false;
  }
}

void Reflector::WatchOn(const std::stop_token& stop) {
  const auto stream = client_.Watch(options_.resource,
                                    {.name_space = options_.name_space,
                                     .label_selector = options_.label_selector,
                                     .field_selector = options_.field_selector,
                                     .resource_version = version_,
                                     .timeout = WatchTimeout()},
                                    {.stop = stop});
  ReadEvents(*stream, nullptr);
}

void Reflector::ReadEvents(ByteStream& stream, std::set<ObjectKey>* listed) {
  const CallName call{"watch", options_.resource.resource, options_.name_space};
  const auto began = Clock::now();
  bool progress = false;
  WatchDecoder decoder(stream);
  for (;;) {
    WatchDecoder::Next next = decoder.Read(options_.idle_timeout);
    if (next.end) {
      if (listed != nullptr) {
        throw MakeError(call, ErrorReason::kUnavailable, "ended before the list was complete");
      }
      if (!progress && Clock::now() - began < kShortestWatch) {
        throw MakeError(call, ErrorReason::kUnavailable, "was closed at once, without an event");
      }
      return;
    }
    if (!next.event) {
      Failed(next.problem);
      continue;
    }
    Json& object = next.event->object;
    switch (next.event->type) {
      case WatchEvent::Type::kError: {
        throw ErrorFromAnswer(call, IsGone(object) ? 410 : CodeOf(object), object.dump(),
                              std::nullopt);
      }
      case WatchEvent::Type::kBookmark:
        if (listed == nullptr) {
          version_ = ResourceVersionOf(object);
        } else if (AnnotationOf(object, kInitialEventsEnd) == "true") {
          Listed(*listed);
          listed = nullptr;
          version_ = ResourceVersionOf(object);
          progress = true;
        }
        break;
      case WatchEvent::Type::kAdded:
      case WatchEvent::Type::kModified: {
        const std::string version = ResourceVersionOf(object);
        if (listed != nullptr) listed->insert(KeyOf(object));
        receiver_.Put(std::move(object));
        if (listed == nullptr && !version.empty()) version_ = version;
        break;
      }
      case WatchEvent::Type::kDeleted:
        if (listed != nullptr) listed->erase(KeyOf(object));
        receiver_.Remove(object);
        if (listed == nullptr) {
          if (const std::string version = ResourceVersionOf(object); !version.empty()) {
            version_ = version;
          }
        }
        break;
    }
    progress = progress || next.event->type != WatchEvent::Type::kBookmark;
    if (Clock::now() - began >= kGoodWhile) {
      failures_ = 0;
      last_failure_.clear();
    }
  }
}

void Reflector::Listed(const std::set<ObjectKey>& listed) {
  receiver_.Listed(listed);
  listed_ = true;
}

void Reflector::Absent() {
  receiver_.Absent();
  listed_ = true;
}

void Reflector::Failed(const std::string& what) {
  // The same failure again and again is said once.
  if (what != last_failure_) {
    Log(LogLevel::kWarning, "watch interrupted, will be tried again",
        {{"resource", options_.resource.resource}, {"error", what}});
  }
  last_failure_ = what;
  if (metrics_ != nullptr) {
    metrics_->Count("reflector_failures_total", "Lists and watches that ended in an error.",
                    {{"resource", options_.resource.resource}});
  }
}

void Reflector::Sleep(milliseconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any sleep;
  std::unique_lock lock(mutex);
  sleep.wait_for(lock, stop, time, [] { return false; });
}

milliseconds Reflector::Backoff() {
  const int doublings = std::min(failures_++, 16);
  const milliseconds base =
      std::min(options_.max_backoff, options_.first_backoff * (1 << doublings));
  return base + milliseconds(std::uniform_int_distribution<std::int64_t>(0, base.count())(random_));
}

std::chrono::seconds Reflector::WatchTimeout() {
  // Spread, so that not all watches of a process are renewed at once.
  return std::chrono::seconds(std::uniform_int_distribution<std::int64_t>(300, 600)(random_));
}

}  // namespace kube
