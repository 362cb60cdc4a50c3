// SPDX-License-Identifier: Apache-2.0
// One attempt's evidence on its way into the engine.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "controllers/evidence/event_reader.h"
#include "controllers/evidence/pod_log_reader.h"
#include "controllers/evidence/pod_status.h"
#include "engine/case.h"
#include "kube/metrics.h"

namespace controllers {

// The engine's case with what has to be known of each stream. Thread-safe. Outlives its session
// where an answer is still on its way.
class EvidenceCase {
 public:
  EvidenceCase(std::shared_ptr<const engine::Ruleset> ruleset, engine::Workload workload,
               std::function<void()> changed, kube::MetricsRegistry& metrics);

  engine::Case& engine() { return case_; }
  const engine::Case& engine() const { return case_; }

  // Puts a state into its stream, unless it is there already.
  void AddLine(const engine::Stream& stream, const StatusLine& line);
  // Events about one of `objects` (EventReader::SubjectOf to its stream). Those that were over
  // before `start` belong to an earlier attempt, those that began after `end` to a later one.
  void AddEvents(const EventReader::Answer& answer,
                 const std::map<std::string, engine::Stream>& objects,
                 std::optional<engine::Time> start, std::optional<engine::Time> end);
  void AddGap(engine::Source source, const std::string& object, const LogGap& gap, bool in_stream);
  void AddBytes(engine::Source source, std::size_t bytes);

  // Reads that are under way.
  void Begin() { ++pending_; }
  void End();
  bool Idle() const { return pending_ == 0; }
  // The states that are known now are complete; what still comes is added to them.
  void Seal();
  bool sealed() const { return sealed_; }
  // Evidence has come after the end.
  void News();

 private:
  engine::Case case_;
  const std::function<void()> changed_;
  kube::MetricsRegistry& metrics_;
  std::atomic<int> pending_{0};
  std::atomic<bool> sealed_{false};
  std::mutex mutex_;
  std::set<std::pair<std::string, std::string>> known_;  // stream's id and line; guarded by mutex_
  bool cut_ = false;                                     // known_ is full; guarded by mutex_
  std::set<std::string> known_events_;                   // UIDs; guarded by mutex_
  std::map<std::string, engine::Stream> opened_;         // by id; guarded by mutex_
};

}  // namespace controllers
