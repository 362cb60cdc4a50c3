// SPDX-License-Identifier: Apache-2.0
// The verbs of the API over HTTP.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <random>
#include <thread>

#include "kube/client.h"
#include "kube/config.h"
#include "kube/error_status.h"
#include "kube/http_transport.h"
#include "kube/metrics.h"

namespace kube {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

const Resource kPodResource{"", "v1", "pods", "Pod", true};
constexpr std::size_t kMaxAnswer = 64 << 20;
constexpr std::size_t kMaxErrorBody = 256 * 1024;
constexpr int kMaxAttempts = 4;
constexpr milliseconds kFirstBackoff{100};
constexpr std::chrono::seconds kMaxBackoff{5};
// Discovery changes when a CRD is installed.
constexpr std::chrono::seconds kDiscoveryAge{10};
constexpr std::chrono::seconds kErrorBodyWait{5};

std::string Encode(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '-' || c == '.' || c == '_' || c == '~') {
      out += c;
    } else {
      out += '%';
      out += kDigits[byte >> 4U];
      out += kDigits[byte & 0xFU];
    }
  }
  return out;
}

class Query {
 public:
  void Add(std::string_view key, std::string_view value) {
    if (value.empty()) return;
    text_ += text_.empty() ? '?' : '&';
    text_ += fmt::format("{}={}", key, Encode(value));
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

ErrorReason ReasonOf(TransportError::Kind kind) {
  switch (kind) {
    case TransportError::Kind::kTimeout:
      return ErrorReason::kTimeout;
    case TransportError::Kind::kCancelled:
      return ErrorReason::kCancelled;
    case TransportError::Kind::kTooLarge:
      return ErrorReason::kDecode;
    case TransportError::Kind::kUnavailable:
      break;
  }
  return ErrorReason::kUnavailable;
}

Json Decode(const CallName& call, const std::string& body) {
  Json object = Json::parse(body, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) {
    throw MakeError(call, ErrorReason::kDecode, "the answer is not a JSON object");
  }
  return object;
}

std::string_view ContentTypeOf(PatchType type) {
  switch (type) {
    case PatchType::kJson:
      return "application/json-patch+json";
    case PatchType::kMerge:
      return "application/merge-patch+json";
    case PatchType::kStrategicMerge:
      return "application/strategic-merge-patch+json";
    case PatchType::kApply:
      return "application/apply-patch+yaml";
  }
  return "application/merge-patch+json";
}

class HttpClient final : public Client {
 public:
  HttpClient(const Config& config, MetricsRegistry* metrics)
      : transport_(NewHttpTransport(config)), metrics_(metrics) {}

  Json Get(const Resource& resource, const ObjectKey& key, const CallOptions& options) override {
    const CallName call{"get", resource.resource, key.ToString()};
    return Decode(call,
                  Send(call, {.method = "GET", .path_and_query = PathOf(resource, key)}, options));
  }

  std::string List(const Resource& resource, const ListOptions& list,
                   const std::function<void(Json)>& item, const CallOptions& options) override {
    const CallName call{"list", resource.resource, list.name_space};
    std::string resource_version;
    std::string next;
    do {
      Query query;
      query.Add("labelSelector", list.label_selector);
      query.Add("fieldSelector", list.field_selector);
      // A continued list has its version in the token.
      if (next.empty()) query.Add("resourceVersion", list.resource_version);
      if (list.limit > 0) query.Add("limit", std::to_string(list.limit));
      query.Add("continue", next);
      Json page = Decode(
          call,
          Send(call,
               {.method = "GET", .path_and_query = resource.Path(list.name_space) + query.text()},
               options));
      resource_version = StringAt(page, "/metadata/resourceVersion");
      next = StringAt(page, "/metadata/continue");
      const auto items = page.find("items");
      if (items == page.end() || !items->is_array()) {
        if (items == page.end() || !items->is_null()) {
          throw MakeError(call, ErrorReason::kDecode, "the answer has no items");
        }
        continue;  // null: an empty list
      }
      for (Json& one : *items) item(std::move(one));
    } while (!next.empty());
    return resource_version;
  }

  Json Create(const Resource& resource, const Json& object, const CallOptions& options) override {
    const CallName call{"create", resource.resource, KeyOf(object).ToString()};
    return Decode(call, Send(call,
                             {.method = "POST",
                              .path_and_query = resource.Path(NamespaceOf(object)),
                              .content_type = "application/json",
                              .body = object.dump()},
                             options));
  }

  Json Update(const Resource& resource, const Json& object, const CallOptions& options) override {
    return Put(resource, object, {}, options);
  }

  Json UpdateStatus(const Resource& resource, const Json& object,
                    const CallOptions& options) override {
    return Put(resource, object, "status", options);
  }

  Json Patch(const Resource& resource, const ObjectKey& key, const Json& patch,
             const PatchOptions& patch_options, const CallOptions& options) override {
    const CallName call{"patch", WithSubresource(resource, patch_options.subresource),
                        key.ToString()};
    Query query;
    query.Add("fieldManager", patch_options.field_manager);
    if (patch_options.force) query.Add("force", "true");
    return Decode(
        call,
        Send(call,
             {.method = "PATCH",
              .path_and_query =
                  resource.Path(key.name_space, key.name, patch_options.subresource) + query.text(),
              .content_type = std::string(ContentTypeOf(patch_options.type)),
              .body = patch.dump()},
             options));
  }

  void Delete(const Resource& resource, const ObjectKey& key, const DeleteOptions& delete_options,
              const CallOptions& options) override {
    const CallName call{"delete", resource.resource, key.ToString()};
    Json body = {{"apiVersion", "v1"}, {"kind", "DeleteOptions"}};
    if (!delete_options.uid.empty()) body["preconditions"]["uid"] = delete_options.uid;
    if (!delete_options.resource_version.empty()) {
      body["preconditions"]["resourceVersion"] = delete_options.resource_version;
    }
    if (!delete_options.propagation_policy.empty()) {
      body["propagationPolicy"] = delete_options.propagation_policy;
    }
    Send(call,
         {.method = "DELETE",
          .path_and_query = PathOf(resource, key),
          .content_type = "application/json",
          .body = body.dump()},
         options);
  }

  std::unique_ptr<ByteStream> Watch(const Resource& resource, const WatchOptions& watch,
                                    const CallOptions& options) override {
    Query query;
    query.Add("watch", "true");
    query.Add("allowWatchBookmarks", "true");
    query.Add("labelSelector", watch.label_selector);
    query.Add("fieldSelector", watch.field_selector);
    query.Add("resourceVersion", watch.resource_version);
    if (watch.send_initial_events) {
      query.Add("sendInitialEvents", "true");
      query.Add("resourceVersionMatch", "NotOlderThan");
    }
    query.Add("timeoutSeconds", std::to_string(watch.timeout.count()));
    return Open({"watch", resource.resource, watch.name_space},
                {.method = "GET", .path_and_query = resource.Path(watch.name_space) + query.text()},
                options);
  }

  std::unique_ptr<ByteStream> Logs(const ObjectKey& pod, const LogOptions& log,
                                   const CallOptions& options) override {
    Query query;
    query.Add("container", log.container);
    if (log.follow) query.Add("follow", "true");
    if (log.previous) query.Add("previous", "true");
    if (log.timestamps) query.Add("timestamps", "true");
    if (log.tail_lines) query.Add("tailLines", std::to_string(*log.tail_lines));
    query.Add("sinceTime", log.since_time);
    return Open(
        {"get", "pods/log", pod.ToString()},
        {.method = "GET",
         .path_and_query = kPodResource.Path(pod.name_space, pod.name, "log") + query.text(),
         .content_type = {},
         .body = {},
         .accept = "*/*"},
        options);
  }

  RawResponse GetRaw(const std::string& path_and_query, std::size_t max_bytes,
                     const CallOptions& options) override {
    const CallName call{"get", path_and_query, {}};
    HttpHead head;
    RawResponse response;
    response.body = Send(call,
                         {.method = "GET",
                          .path_and_query = path_and_query,
                          .content_type = {},
                          .body = {},
                          .accept = "*/*"},
                         options, max_bytes, &head);
    response.status = head.status;
    response.content_type = head.content_type;
    return response;
  }

  bool Serves(const Resource& resource, const CallOptions& options) override {
    const std::string group_version = resource.ApiVersion();
    {
      const std::lock_guard lock(discovery_mutex_);
      const auto known = discovery_.find(group_version);
      if (known != discovery_.end() && Clock::now() - known->second.asked < kDiscoveryAge) {
        return known->second.resources.count(resource.resource) > 0;
      }
    }
    Discovered found{Clock::now(), {}};
    const std::string path =
        (resource.group.empty() ? "/api/" : "/apis/" + resource.group + '/') + resource.version;
    const CallName call{"get", path, {}};
    try {
      const Json answer =
          Decode(call, Send(call, {.method = "GET", .path_and_query = path}, options));
      for (const Json& one : answer.value("resources", Json::array())) {
        found.resources[StringAt(one, "/name")] = true;
      }
    } catch (const ApiError& error) {
      if (!error.IsNotFound()) throw;
    }
    const bool serves = found.resources.count(resource.resource) > 0;
    const std::lock_guard lock(discovery_mutex_);
    discovery_[group_version] = std::move(found);
    return serves;
  }

 private:
  struct Discovered {
    Clock::time_point asked;
    std::map<std::string, bool> resources;
  };

  static std::string PathOf(const Resource& resource, const ObjectKey& key) {
    return resource.Path(key.name_space, key.name);
  }

  static std::string WithSubresource(const Resource& resource, const std::string& subresource) {
    return subresource.empty() ? resource.resource : resource.resource + '/' + subresource;
  }

  Json Put(const Resource& resource, const Json& object, const std::string& subresource,
           const CallOptions& options) {
    const ObjectKey key = KeyOf(object);
    const CallName call{"update", WithSubresource(resource, subresource), key.ToString()};
    return Decode(call,
                  Send(call,
                       {.method = "PUT",
                        .path_and_query = resource.Path(key.name_space, key.name, subresource),
                        .content_type = "application/json",
                        .body = object.dump()},
                       options));
  }

  // The body of a 2xx answer. Tries again, within the deadline, what cannot have taken effect or
  // has none: reads that got no answer, and anything that the server turned away (429, or 503 of a
  // read).
  std::string Send(const CallName& call, const HttpRequest& request, const CallOptions& options,
                   std::size_t max_body = kMaxAnswer, HttpHead* head_out = nullptr) {
    const auto until = Clock::now() + options.deadline;
    const bool is_read = request.method == "GET";
    for (int attempt = 1;; ++attempt) {
      const auto left = std::chrono::ceil<milliseconds>(until - Clock::now());
      std::string body;
      HttpHead head;
      try {
        head = Once(call, request, std::max(left, milliseconds(1)), max_body, options.stop, &body);
      } catch (const TransportError& error) {
        const bool again =
            error.kind == TransportError::Kind::kUnavailable && is_read && attempt < kMaxAttempts;
        if (again && Pause(attempt, std::nullopt, until, options.stop)) continue;
        throw MakeError(call, ReasonOf(error.kind), error.message);
      }
      if (head.status >= 200 && head.status < 300) {
        if (head_out != nullptr) *head_out = head;
        return body;
      }
      const bool turned_away = head.status == 429 || (head.status == 503 && is_read);
      if (turned_away && attempt < kMaxAttempts &&
          Pause(attempt, head.retry_after, until, options.stop)) {
        continue;
      }
      throw ErrorFromAnswer(call, head.status, body, head.retry_after);
    }
  }

  HttpHead Once(const CallName& call, const HttpRequest& request, milliseconds deadline,
                std::size_t max_body, const std::stop_token& stop, std::string* body) {
    const auto began = Clock::now();
    try {
      const HttpHead head = transport_->Send(request, deadline, max_body, stop, body);
      Measure(call, request, std::to_string(head.status), began);
      return head;
    } catch (const TransportError&) {
      Measure(call, request, "<error>", began);
      throw;
    }
  }

  std::unique_ptr<ByteStream> Open(const CallName& call, const HttpRequest& request,
                                   const CallOptions& options) {
    const auto until = Clock::now() + options.deadline;
    const std::string what = fmt::format("{} {} {}", call.verb, call.resource, call.object);
    for (int attempt = 1;; ++attempt) {
      const auto began = Clock::now();
      HttpHead head;
      std::unique_ptr<ByteStream> stream;
      try {
        const auto left = std::chrono::ceil<milliseconds>(until - Clock::now());
        stream =
            transport_->Open(request, std::max(left, milliseconds(1)), options.stop, what, &head);
      } catch (const TransportError& error) {
        Measure(call, request, "<error>", began);
        const bool again =
            error.kind == TransportError::Kind::kUnavailable && attempt < kMaxAttempts;
        if (again && Pause(attempt, std::nullopt, until, options.stop)) continue;
        throw MakeError(call, ReasonOf(error.kind), error.message);
      }
      Measure(call, request, std::to_string(head.status), began);
      if (head.status >= 200 && head.status < 300) return stream;
      const std::string body = ErrorBody(*stream);
      if (head.status == 429 && attempt < kMaxAttempts &&
          Pause(attempt, head.retry_after, until, options.stop)) {
        continue;
      }
      throw ErrorFromAnswer(call, head.status, body, head.retry_after);
    }
  }

  // What comes of an error's body; a cut one still tells most of it.
  static std::string ErrorBody(ByteStream& stream) {
    std::string body;
    std::string chunk(16 * 1024, '\0');
    try {
      while (body.size() < kMaxErrorBody) {
        const std::size_t size = stream.Read(chunk.data(), chunk.size(), kErrorBodyWait);
        if (size == 0) break;
        body.append(chunk, 0, size);
      }
    } catch (const ApiError& error) {
      if (error.IsCancelled()) throw;
      if (body.empty()) body = error.what();
    }
    return body;
  }

  // Waits before another attempt: what the server asks for, or a jittered exponential. False when
  // there is no time for it.
  bool Pause(int attempt, std::optional<std::chrono::seconds> asked, Clock::time_point until,
             const std::stop_token& stop) {
    milliseconds wait = kFirstBackoff * (1 << (attempt - 1));
    if (asked) wait = std::max<milliseconds>(*asked, wait);
    {
      const std::lock_guard lock(random_mutex_);
      wait +=
          milliseconds(std::uniform_int_distribution<std::int64_t>(0, wait.count() / 2)(random_));
    }
    wait = std::min<milliseconds>(wait, kMaxBackoff + (asked ? *asked : std::chrono::seconds(0)));
    if (Clock::now() + wait >= until) return false;
    std::mutex mutex;
    std::condition_variable_any sleep;
    std::unique_lock lock(mutex);
    sleep.wait_for(lock, stop, wait, [] { return false; });
    return !stop.stop_requested();
  }

  void Measure(const CallName& call, const HttpRequest& request, const std::string& code,
               Clock::time_point began) {
    if (metrics_ == nullptr) return;
    metrics_->Count("rest_client_requests_total",
                    "Number of HTTP requests, partitioned by status code, method, and host.",
                    {{"code", code}, {"method", request.method}, {"host", transport_->host()}});
    metrics_->Observe("rest_client_request_duration_seconds",
                      "Request latency in seconds. Broken down by verb, and host; of streams, "
                      "until the answer begins.",
                      {{"verb", call.verb}, {"host", transport_->host()}},
                      std::chrono::duration<double>(Clock::now() - began).count(),
                      {0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60});
  }

  const std::unique_ptr<HttpTransport> transport_;
  MetricsRegistry* const metrics_;
  std::mutex random_mutex_;
  std::minstd_rand random_{std::random_device{}()};
  std::mutex discovery_mutex_;
  std::map<std::string, Discovered> discovery_;
};

}  // namespace

std::unique_ptr<Client> NewHttpClient(const Config& config, MetricsRegistry* metrics) {
  return std::make_unique<HttpClient>(config, metrics);
}

}  // namespace kube
