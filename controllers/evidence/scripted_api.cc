// SPDX-License-Identifier: Apache-2.0
#include "controllers/evidence/scripted_api.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "controllers/evidence/log_position.h"

namespace controllers {
namespace {

using kube::ErrorReason;
using kube::Json;

[[noreturn]] void Fail(ErrorReason reason, int status, const std::string& what) {
  throw kube::ApiError(reason, status, what);
}

}  // namespace

class ScriptedLogStream final : public kube::ByteStream {
 public:
  ScriptedLogStream(ScriptedLog& log, kube::LogOptions options, std::stop_token stop)
      : log_(log), options_(std::move(options)), stop_(std::move(stop)) {
    const std::lock_guard lock(log_.mutex_);
    cuts_ = log_.cuts_;
    next_ = log_.first_;
    if (options_.tail_lines) {
      const auto tail = static_cast<std::size_t>(*options_.tail_lines);
      if (log_.lines_.size() > tail) next_ = std::max(next_, log_.lines_.size() - tail);
    }
  }

  std::size_t Read(char* buffer, std::size_t size, std::chrono::milliseconds idle) override {
    std::unique_lock lock(log_.mutex_);
    const bool woken = log_.changed_.wait_for(lock, stop_, idle, [&] {
      Fill();
      return !pending_.empty() || IsCut() || AtEnd();
    });
    if (stop_.stop_requested()) Fail(ErrorReason::kCancelled, 0, "cancelled");
    if (!woken) Fail(ErrorReason::kTimeout, 0, "nothing came");
    if (IsCut()) Fail(ErrorReason::kUnavailable, 0, "cut");
    if (pending_.empty()) return 0;
    std::size_t count = std::min(size, pending_.size());
    if (log_.cut_after_ > 0) count = std::min(count, log_.cut_after_ - sent_);
    std::memcpy(buffer, pending_.data(), count);
    pending_.erase(0, count);
    sent_ += count;
    return count;
  }

 private:
  bool IsCut() const {
    return cuts_ != log_.cuts_ || (log_.cut_after_ > 0 && sent_ >= log_.cut_after_);
  }
  bool AtEnd() const {
    return next_ == log_.lines_.size() && pending_.empty() && (log_.ended_ || !options_.follow);
  }
  void Fill() {
    const auto since = engine::ParseRfc3339(options_.since_time);
    for (; next_ < log_.lines_.size(); ++next_) {
      const std::string& line = log_.lines_[next_];
      if (since && TimeOfLogLine(line).value_or(*since) < *since) continue;
      pending_ += line + '\n';
    }
    if (log_.ended_ && !unfinished_sent_) pending_ += log_.unfinished_;
    unfinished_sent_ = unfinished_sent_ || log_.ended_;
  }

  ScriptedLog& log_;
  const kube::LogOptions options_;
  const std::stop_token stop_;
  std::string pending_;
  std::size_t next_ = 0;
  std::size_t sent_ = 0;
  int cuts_ = 0;
  bool unfinished_sent_ = false;
};

void ScriptedLog::Append(const std::string& line) {
  const std::lock_guard lock(mutex_);
  lines_.push_back(line);
  changed_.notify_all();
}

void ScriptedLog::AppendUnfinished(const std::string& text) {
  const std::lock_guard lock(mutex_);
  unfinished_ = text;
}

void ScriptedLog::End() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

void ScriptedLog::Cut() {
  const std::lock_guard lock(mutex_);
  ++cuts_;
  changed_.notify_all();
}

void ScriptedLog::CutAfter(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  cut_after_ = bytes;
}

void ScriptedLog::Rotate() {
  const std::lock_guard lock(mutex_);
  first_ = lines_.size();
}

std::unique_ptr<kube::ByteStream> ScriptedLog::Open(const kube::LogOptions& options,
                                                    std::stop_token stop) {
  ++opened_;
  return std::make_unique<ScriptedLogStream>(*this, options, std::move(stop));
}

class ScriptedWatch final : public kube::ByteStream {
 public:
  ScriptedWatch(ScriptedApi& api, std::string resource, std::string name_space, std::int64_t since,
                std::stop_token stop)
      : api_(api),
        resource_(std::move(resource)),
        name_space_(std::move(name_space)),
        since_(since),
        stop_(std::move(stop)) {}

  std::size_t Read(char* buffer, std::size_t size, std::chrono::milliseconds idle) override {
    std::unique_lock lock(api_.mutex_);
    const bool woken = api_.changed_.wait_for(lock, stop_, idle, [&] {
      Fill();
      return !pending_.empty();
    });
    if (stop_.stop_requested()) Fail(ErrorReason::kCancelled, 0, "cancelled");
    if (!woken) Fail(ErrorReason::kTimeout, 0, "nothing came");
    const std::size_t count = std::min(size, pending_.size());
    std::memcpy(buffer, pending_.data(), count);
    pending_.erase(0, count);
    return count;
  }

 private:
  void Fill() {
    const auto& changes = api_.changes_[resource_];
    for (; next_ < changes.size(); ++next_) {
      const auto& change = changes[next_];
      if (std::stoll(kube::ResourceVersionOf(change.object)) <= since_) continue;
      if (!name_space_.empty() && kube::NamespaceOf(change.object) != name_space_) continue;
      pending_ += Json{{"type", change.type}, {"object", change.object}}.dump() + '\n';
    }
  }

  ScriptedApi& api_;
  const std::string resource_;
  const std::string name_space_;
  const std::int64_t since_;
  const std::stop_token stop_;
  std::string pending_;
  std::size_t next_ = 0;
};

ScriptedApi::ScriptedApi() = default;
ScriptedApi::~ScriptedApi() = default;

// Under the lock.
void ScriptedApi::Record(const kube::Resource& resource, const char* type, Json object) {
  object["metadata"]["resourceVersion"] = std::to_string(++version_);
  const kube::ObjectKey key = kube::KeyOf(object);
  auto& objects = objects_[resource.resource];
  if (std::string(type) == "DELETED") {
    objects.erase(key);
  } else {
    objects[key] = object;
  }
  changes_[resource.resource].push_back({type, std::move(object)});
  changed_.notify_all();
}

void ScriptedApi::Put(const kube::Resource& resource, Json object) {
  const std::lock_guard lock(mutex_);
  const bool known = objects_[resource.resource].contains(kube::KeyOf(object));
  Record(resource, known ? "MODIFIED" : "ADDED", std::move(object));
}

void ScriptedApi::Remove(const kube::Resource& resource, const kube::ObjectKey& key) {
  const std::lock_guard lock(mutex_);
  const auto found = objects_[resource.resource].find(key);
  if (found != objects_[resource.resource].end()) Record(resource, "DELETED", found->second);
}

Json ScriptedApi::Object(const kube::Resource& resource, const kube::ObjectKey& key) {
  const std::lock_guard lock(mutex_);
  const auto found = objects_[resource.resource].find(key);
  return found == objects_[resource.resource].end() ? Json() : found->second;
}

std::size_t ScriptedApi::Count(const kube::Resource& resource) {
  const std::lock_guard lock(mutex_);
  return objects_[resource.resource].size();
}

ScriptedLog& ScriptedApi::Log(const std::string& name) {
  const std::lock_guard lock(mutex_);
  auto& log = logs_[name];
  if (!log) log = std::make_unique<ScriptedLog>();
  return *log;
}

void ScriptedApi::RemoveLog(const std::string& name) {
  const std::lock_guard lock(mutex_);
  logs_.erase(name);
}

void ScriptedApi::SetFault(
    std::function<void(const std::string&, const std::string&, const std::string&)> fault) {
  const std::lock_guard lock(mutex_);
  fault_ = std::move(fault);
}

void ScriptedApi::SetRaw(std::function<kube::RawResponse(const std::string&)> raw) {
  const std::lock_guard lock(mutex_);
  raw_ = std::move(raw);
}

std::map<std::string, int> ScriptedApi::Requests() {
  const std::lock_guard lock(mutex_);
  return requests_;
}

void ScriptedApi::Request(const std::string& verb, const std::string& resource,
                          const std::string& name) {
  std::function<void(const std::string&, const std::string&, const std::string&)> fault;
  {
    const std::lock_guard lock(mutex_);
    ++requests_[verb + ' ' + resource];
    fault = fault_;
  }
  if (fault) fault(verb, resource, name);
}

Json ScriptedApi::Get(const kube::Resource& resource, const kube::ObjectKey& key,
                      const kube::CallOptions& /*options*/) {
  Request("get", resource.resource, key.name);
  Json object = Object(resource, key);
  if (object.is_null()) Fail(ErrorReason::kNotFound, 404, "get " + key.ToString());
  return object;
}

std::string ScriptedApi::List(const kube::Resource& resource, const kube::ListOptions& list,
                              const std::function<void(Json)>& item,
                              const kube::CallOptions& /*options*/) {
  Request("list", resource.resource, list.name_space);
  std::vector<Json> objects;
  std::string version;
  {
    const std::lock_guard lock(mutex_);
    version = std::to_string(version_);
    for (const auto& [key, object] : objects_[resource.resource]) {
      if (!list.name_space.empty() && key.name_space != list.name_space) continue;
      // Of field selectors only what the code under test asks for: path=value,...
      bool selected = true;
      std::string rest = list.field_selector;
      while (!rest.empty() && selected) {
        const std::size_t end = std::min(rest.find(','), rest.size());
        const std::string term = rest.substr(0, end);
        rest.erase(0, end + 1);
        std::string path = '/' + term.substr(0, term.find('='));
        std::replace(path.begin(), path.end(), '.', '/');
        selected = kube::StringAt(object, path) == term.substr(term.find('=') + 1);
      }
      if (selected) objects.push_back(object);
    }
  }
  for (Json& object : objects) item(std::move(object));
  return version;
}

Json ScriptedApi::Create(const kube::Resource& resource, const Json& object,
                         const kube::CallOptions& /*options*/) {
  Request("create", resource.resource, kube::NameOf(object));
  const std::lock_guard lock(mutex_);
  const kube::ObjectKey key = kube::KeyOf(object);
  if (objects_[resource.resource].contains(key)) {
    Fail(ErrorReason::kAlreadyExists, 409, "create " + key.ToString() + ": exists");
  }
  Record(resource, "ADDED", object);
  return objects_[resource.resource][key];
}

Json ScriptedApi::Update(const kube::Resource& resource, const Json& object,
                         const kube::CallOptions& /*options*/) {
  Request("update", resource.resource, kube::NameOf(object));
  const std::lock_guard lock(mutex_);
  const kube::ObjectKey key = kube::KeyOf(object);
  if (kube::ResourceVersionOf(objects_[resource.resource][key]) !=
      kube::ResourceVersionOf(object)) {
    Fail(ErrorReason::kConflict, 409, "update " + key.ToString() + ": conflict");
  }
  Record(resource, "MODIFIED", object);
  return objects_[resource.resource][key];
}

Json ScriptedApi::UpdateStatus(const kube::Resource& resource, const Json& object,
                               const kube::CallOptions& options) {
  return Update(resource, object, options);
}

Json ScriptedApi::Patch(const kube::Resource& resource, const kube::ObjectKey& key,
                        const Json& patch, const kube::PatchOptions& patch_options,
                        const kube::CallOptions& /*options*/) {
  Request("patch",
          resource.resource +
              (patch_options.subresource.empty() ? "" : '/' + patch_options.subresource),
          key.name);
  const std::lock_guard lock(mutex_);
  const auto found = objects_[resource.resource].find(key);
  if (found == objects_[resource.resource].end()) {
    Fail(ErrorReason::kNotFound, 404, "patch " + key.ToString());
  }
  const std::string version = kube::ResourceVersionOf(patch);
  if (!version.empty() && version != kube::ResourceVersionOf(found->second)) {
    Fail(ErrorReason::kConflict, 409, "patch " + key.ToString() + ": conflict");
  }
  Json object = found->second;
  Json merged = patch;
  const Json::json_pointer conditions("/status/conditions");
  // Of strategic merges only what the code under test asks for: conditions by type.
  if (patch_options.type == kube::PatchType::kStrategicMerge && merged.contains(conditions)) {
    for (const Json& other : object.value(conditions, Json::array())) {
      const bool replaced = std::any_of(
          patch.at(conditions).begin(), patch.at(conditions).end(), [&](const Json& condition) {
            return kube::StringAt(condition, "/type") == kube::StringAt(other, "/type");
          });
      if (!replaced) merged[conditions].push_back(other);
    }
  }
  object.merge_patch(merged);
  Record(resource, "MODIFIED", std::move(object));
  return objects_[resource.resource][key];
}

void ScriptedApi::Delete(const kube::Resource& resource, const kube::ObjectKey& key,
                         const kube::DeleteOptions& /*delete_options*/,
                         const kube::CallOptions& /*options*/) {
  Request("delete", resource.resource, key.name);
  Remove(resource, key);
}

std::unique_ptr<kube::ByteStream> ScriptedApi::Watch(const kube::Resource& resource,
                                                     const kube::WatchOptions& watch,
                                                     const kube::CallOptions& options) {
  Request("watch", resource.resource, watch.name_space);
  // As a server without streaming lists: the cache lists first.
  if (watch.send_initial_events) Fail(ErrorReason::kInvalid, 422, "sendInitialEvents: Forbidden");
  return std::make_unique<ScriptedWatch>(*this, resource.resource, watch.name_space,
                                         std::stoll(watch.resource_version), options.stop);
}

std::unique_ptr<kube::ByteStream> ScriptedApi::Logs(const kube::ObjectKey& pod,
                                                    const kube::LogOptions& log,
                                                    const kube::CallOptions& options) {
  const std::string name = pod.ToString() + '/' + log.container + (log.previous ? "/previous" : "");
  Request("get", "pods/log", name);
  const std::lock_guard lock(mutex_);
  const auto found = logs_.find(name);
  if (found == logs_.end()) {
    if (log.previous)
      Fail(ErrorReason::kBadRequest, 400, "previous terminated container not found");
    Fail(ErrorReason::kNotFound, 404, "pods \"" + pod.name + "\" not found");
  }
  return found->second->Open(log, options.stop);
}

kube::RawResponse ScriptedApi::GetRaw(const std::string& path_and_query, std::size_t /*max_bytes*/,
                                      const kube::CallOptions& /*options*/) {
  Request("get", "raw", path_and_query);
  std::function<kube::RawResponse(const std::string&)> raw;
  {
    const std::lock_guard lock(mutex_);
    raw = raw_;
  }
  if (!raw) Fail(ErrorReason::kNotFound, 404, "get " + path_and_query);
  return raw(path_and_query);
}

bool ScriptedApi::Serves(const kube::Resource& resource, const kube::CallOptions& /*options*/) {
  const std::lock_guard lock(mutex_);
  return objects_.contains(resource.resource);
}

}  // namespace controllers
