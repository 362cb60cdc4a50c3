// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "controllers/evidence/node_conditions.h"
#include "controllers/evidence/session.h"
#include "controllers/evidence/workload_session.h"
#include "controllers/status/field.h"
#include "controllers/status/resources.h"

namespace controllers {
namespace {

using kube::Json;

// The sessions that want to hear of nodes. Outlives the collector in the informer's handler.
class Listeners {
 public:
  void Add(WorkloadSession* session) {
    const std::lock_guard lock(mutex_);
    sessions_.insert(session);
    Measure();
  }
  void Remove(WorkloadSession* session) {
    const std::lock_guard lock(mutex_);
    sessions_.erase(session);
    Measure();
  }
  void NodeChanged(const Json& node) {
    const std::lock_guard lock(mutex_);
    for (WorkloadSession* const session : sessions_) session->NodeChanged(node);
  }
  void SetMetrics(kube::MetricsRegistry* metrics) {
    const std::lock_guard lock(mutex_);
    metrics_ = metrics;
  }

 private:
  void Measure() {
    if (metrics_ == nullptr) return;
    metrics_->Set("attribution_sessions", "Failed workloads whose evidence is being gathered.", {},
                  static_cast<double>(sessions_.size()));
  }

  std::mutex mutex_;
  std::set<WorkloadSession*> sessions_;
  kube::MetricsRegistry* metrics_ = nullptr;
};

// Hears of nodes while it lives.
class ListeningSession final : public Session {
 public:
  ListeningSession(std::shared_ptr<Listeners> listeners, std::unique_ptr<WorkloadSession> session)
      : listeners_(std::move(listeners)), session_(std::move(session)) {
    listeners_->Add(session_.get());
  }
  ~ListeningSession() override { listeners_->Remove(session_.get()); }
  ListeningSession(const ListeningSession&) = delete;
  ListeningSession& operator=(const ListeningSession&) = delete;

  void Update(const engine::Workload& workload, const std::vector<kube::ObjectPtr>& pods,
              const std::vector<StatusLine>& workload_lines) override {
    session_->Update(workload, pods, workload_lines);
  }
  void Seal() override { session_->Seal(); }
  void CutShort(const std::string& why) override { session_->CutShort(why); }
  bool Drained() const override { return session_->Drained(); }
  engine::Attribution Attribute(const engine::History& history) const override {
    return session_->Attribute(history);
  }
  Placement placement() const override { return session_->placement(); }
  std::optional<engine::Time> first_failure() const override { return session_->first_failure(); }
  std::string BootId(const std::string& node, engine::Source source,
                     engine::Time time) const override {
    return session_->BootId(node, source, time);
  }

 private:
  const std::shared_ptr<Listeners> listeners_;
  const std::unique_ptr<WorkloadSession> session_;
};

std::vector<std::string> Texts(const Json& node) {
  std::vector<std::string> texts;
  for (StatusLine& line : NodeConditionLines(node)) texts.push_back(std::move(line.text));
  return texts;
}

class CollectorImpl final : public Collector {
 public:
  CollectorImpl(kube::Client& client, kube::Cache& cache, const CollectorOptions& options,
                kube::MetricsRegistry& metrics)
      : slots_(options.max_log_reads, options.max_log_reads_per_node, metrics),
        agents_(client, {options.agent_namespace, options.agent_daemonset}, slots_, options.timing,
                options.now),
        events_(client, options.timing),
        sources_{client,  NodeInformer(cache),  slots_,         agents_,    events_,
                 metrics, options.kubelet_logs, options.timing, options.now} {
    listeners_->SetMetrics(&metrics);
    sources_.nodes.AddEventHandler(
        {.on_add = [listeners = listeners_](const kube::ObjectPtr& node,
                                            bool) { listeners->NodeChanged(*node); },
         .on_update =
             [listeners = listeners_](const kube::ObjectPtr& before, const kube::ObjectPtr& after) {
               // Not for each heartbeat.
               if (Texts(*before) != Texts(*after)) listeners->NodeChanged(*after);
             },
         .on_delete = nullptr});
  }

  std::unique_ptr<Session> Start(const SessionSubject& subject, const SessionOptions& options,
                                 std::shared_ptr<const engine::Ruleset> ruleset,
                                 std::function<void()> changed) override {
    return std::make_unique<ListeningSession>(
        listeners_, std::make_unique<WorkloadSession>(sources_, subject, options,
                                                      std::move(ruleset), std::move(changed)));
  }

 private:
  const std::shared_ptr<Listeners> listeners_ = std::make_shared<Listeners>();
  LogSlots slots_;
  AgentLogs agents_;
  EventReader events_;
  const EvidenceSources sources_;
};

}  // namespace

engine::Time SystemNow() {
  return std::chrono::time_point_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now());
}

kube::Informer& NodeInformer(kube::Cache& cache) {
  return cache.InformerFor({.resource = kNodes,
                            .namespaces = {},
                            .label_selector = {},
                            .field_selector = {},
                            .projection = [](Json node) {
                              // The largest part by far, and nobody reads it.
                              if (Field(node, "/status").is_object())
                                node["status"].erase("images");
                              if (Field(node, "/metadata").is_object()) {
                                node["metadata"].erase("managedFields");
                              }
                              return node;
                            }});
}

std::unique_ptr<Collector> NewCollector(kube::Client& client, kube::Cache& cache,
                                        const CollectorOptions& options,
                                        kube::MetricsRegistry& metrics) {
  return std::make_unique<CollectorImpl>(client, cache, options, metrics);
}

}  // namespace controllers
