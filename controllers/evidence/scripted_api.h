// SPDX-License-Identifier: Apache-2.0
// For tests: an API server's side of kube::Client with the faults that a real one can't be made to
// show at will (a log that is cut at a given byte, rotated, or gone). Objects are kept in memory;
// lists and watches feed a real cache.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "kube/client.h"

namespace controllers {

// A container's log as the kubelet keeps it. Thread-safe.
class ScriptedLog {
 public:
  // `line` with its time in front.
  void Append(const std::string& line);
  // The container has ended: followed streams end after the last line.
  void End();
  // All streams that are open break now.
  void Cut();
  // Each stream breaks after this many bytes; 0: none does.
  void CutAfter(std::size_t bytes);
  // What has been appended so far is no longer served.
  void Rotate();
  // A last line without a break.
  void AppendUnfinished(const std::string& text);

  std::unique_ptr<kube::ByteStream> Open(const kube::LogOptions& options, std::stop_token stop);
  int opened() const { return opened_; }

 private:
  friend class ScriptedLogStream;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<std::string> lines_;
  std::size_t first_ = 0;
  std::string unfinished_;
  bool ended_ = false;
  int cuts_ = 0;
  std::size_t cut_after_ = 0;
  std::atomic<int> opened_{0};
};

// Thread-safe.
class ScriptedApi final : public kube::Client {
 public:
  ScriptedApi();
  ~ScriptedApi() override;

  // What the cluster has.
  void Put(const kube::Resource& resource, kube::Json object);
  void Remove(const kube::Resource& resource, const kube::ObjectKey& key);
  kube::Json Object(const kube::Resource& resource, const kube::ObjectKey& key);
  std::size_t Count(const kube::Resource& resource);
  // "namespace/pod/container", with "/previous" for the previous run.
  ScriptedLog& Log(const std::string& name);
  void RemoveLog(const std::string& name);
  // Called before each request with its verb, its resource (or path) and the object's name; throws
  // what the request shall fail with.
  void SetFault(std::function<void(const std::string& verb, const std::string& resource,
                                   const std::string& name)>
                    fault);
  void SetRaw(std::function<kube::RawResponse(const std::string& path)> raw);
  // Requests so far: "verb resource" -> count.
  std::map<std::string, int> Requests();

  kube::Json Get(const kube::Resource& resource, const kube::ObjectKey& key,
                 const kube::CallOptions& options) override;
  std::string List(const kube::Resource& resource, const kube::ListOptions& list,
                   const std::function<void(kube::Json)>& item,
                   const kube::CallOptions& options) override;
  kube::Json Create(const kube::Resource& resource, const kube::Json& object,
                    const kube::CallOptions& options) override;
  kube::Json Update(const kube::Resource& resource, const kube::Json& object,
                    const kube::CallOptions& options) override;
  kube::Json UpdateStatus(const kube::Resource& resource, const kube::Json& object,
                          const kube::CallOptions& options) override;
  kube::Json Patch(const kube::Resource& resource, const kube::ObjectKey& key,
                   const kube::Json& patch, const kube::PatchOptions& patch_options,
                   const kube::CallOptions& options) override;
  void Delete(const kube::Resource& resource, const kube::ObjectKey& key,
              const kube::DeleteOptions& delete_options, const kube::CallOptions& options) override;
  std::unique_ptr<kube::ByteStream> Watch(const kube::Resource& resource,
                                          const kube::WatchOptions& watch,
                                          const kube::CallOptions& options) override;
  std::unique_ptr<kube::ByteStream> Logs(const kube::ObjectKey& pod, const kube::LogOptions& log,
                                         const kube::CallOptions& options) override;
  kube::RawResponse GetRaw(const std::string& path_and_query, std::size_t max_bytes,
                           const kube::CallOptions& options) override;
  bool Serves(const kube::Resource& resource, const kube::CallOptions& options) override;

 private:
  friend class ScriptedWatch;
  struct Change {
    std::string type;
    kube::Json object;
  };
  void Request(const std::string& verb, const std::string& resource, const std::string& name);
  void Record(const kube::Resource& resource, const char* type, kube::Json object);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::int64_t version_ = 1;
  std::map<std::string, std::map<kube::ObjectKey, kube::Json>> objects_;  // by plural
  std::map<std::string, std::vector<Change>> changes_;
  std::map<std::string, std::unique_ptr<ScriptedLog>> logs_;
  std::map<std::string, int> requests_;
  std::function<void(const std::string&, const std::string&, const std::string&)> fault_;
  std::function<kube::RawResponse(const std::string&)> raw_;
};

}  // namespace controllers
