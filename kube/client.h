// SPDX-License-Identifier: Apache-2.0
// Calls to the API server. Blocking; every call ends at its deadline or when its stop token is
// asked to stop, and throws ApiError on anything but success.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kube/error.h"
#include "kube/object.h"
#include "kube/resource.h"

namespace kube {

struct Config;  // kube/config.h: where the server is and who we are

struct CallOptions {
  // For the whole call; for streams, until the answer's headers are there.
  std::chrono::milliseconds deadline = std::chrono::seconds(30);
  std::stop_token stop;
};

struct ListOptions {
  std::string name_space;  // empty: all
  std::string label_selector;
  std::string field_selector;
  std::string resource_version;  // "0": any, from the server's cache
  std::int64_t limit = 500;      // page size
};

struct WatchOptions {
  std::string name_space;
  std::string label_selector;
  std::string field_selector;
  std::string resource_version;
  bool send_initial_events = false;
  std::chrono::seconds timeout = std::chrono::minutes(5);  // asked of the server
};

enum class PatchType { kJson, kMerge, kStrategicMerge, kApply };

struct PatchOptions {
  PatchType type = PatchType::kMerge;
  std::string subresource;    // "status"
  std::string field_manager;  // needed for kApply
  bool force = false;         // kApply: take ownership of conflicting fields
};

struct DeleteOptions {
  std::string uid;                 // precondition; empty: none
  std::string resource_version;    // precondition; empty: none
  std::string propagation_policy;  // "Background", "Foreground", "Orphan"; empty: the default
};

struct LogOptions {
  std::string container;
  bool follow = false;
  bool previous = false;
  bool timestamps = true;
  std::optional<std::int64_t> tail_lines;
  std::string since_time;  // RFC 3339; empty: from the start
};

// A body that arrives while it is read. Reading slowly slows the server down: at most
// 1 MiB waits unread. Move it, read it from one thread; the destructor ends the transfer.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // Waits for bytes. Returns how many were put into buffer; 0 at the orderly end.
  // Throws ApiError kUnavailable when the transfer is cut, kTimeout when nothing came for
  // idle_timeout, kCancelled.
  virtual std::size_t Read(char* buffer, std::size_t size,
                           std::chrono::milliseconds idle_timeout) = 0;
};

// An answer as it came.
struct RawResponse {
  int status = 0;
  std::string content_type;
  std::string body;
};

// Thread-safe.
class Client {
 public:
  virtual ~Client() = default;

  virtual Json Get(const Resource& resource, const ObjectKey& key,
                   const CallOptions& options = {}) = 0;

  // All pages; each item is given to `item` as soon as it is decoded. Returns the list's
  // resourceVersion. A 410 in the middle (expired continue token) is thrown.
  virtual std::string List(const Resource& resource, const ListOptions& list,
                           const std::function<void(Json)>& item,
                           const CallOptions& options = {}) = 0;

  virtual Json Create(const Resource& resource, const Json& object,
                      const CallOptions& options = {}) = 0;
  // Replaces; the object's resourceVersion is the optimistic lock.
  virtual Json Update(const Resource& resource, const Json& object,
                      const CallOptions& options = {}) = 0;
  virtual Json UpdateStatus(const Resource& resource, const Json& object,
                            const CallOptions& options = {}) = 0;
  virtual Json Patch(const Resource& resource, const ObjectKey& key, const Json& patch,
                     const PatchOptions& patch_options, const CallOptions& options = {}) = 0;
  virtual void Delete(const Resource& resource, const ObjectKey& key,
                      const DeleteOptions& delete_options = {},
                      const CallOptions& options = {}) = 0;

  // Newline-separated watch events, not decoded.
  virtual std::unique_ptr<ByteStream> Watch(const Resource& resource, const WatchOptions& watch,
                                            const CallOptions& options = {}) = 0;
  // A container's log. Throws kBadRequest (no previous container, container not started),
  // kNotFound (pod gone).
  virtual std::unique_ptr<ByteStream> Logs(const ObjectKey& pod, const LogOptions& log,
                                           const CallOptions& options = {}) = 0;
  // Any path below the server's root, with its query. max_bytes bounds the body.
  virtual RawResponse GetRaw(const std::string& path_and_query, std::size_t max_bytes,
                             const CallOptions& options = {}) = 0;

  // Whether the server serves this resource now (discovery of its group and version).
  virtual bool Serves(const Resource& resource, const CallOptions& options = {}) = 0;
};

// Every verb goes through `requests` counters: see kube/metrics.h (rest_client_requests_total).
class MetricsRegistry;

// A client over cpprestsdk and OpenSSL. `metrics` may be null and must outlive the client.
std::unique_ptr<Client> NewHttpClient(const Config& config, MetricsRegistry* metrics = nullptr);

}  // namespace kube
