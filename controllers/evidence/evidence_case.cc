// SPDX-License-Identifier: Apache-2.0
#include "controllers/evidence/evidence_case.h"

#include <fmt/format.h>

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "controllers/evidence/lines.h"

namespace controllers {
namespace {

using kube::Json;

// A workload that fails and restarts for weeks says new things all the time.
constexpr std::size_t kMaxStatusLines = 20'000;

std::optional<engine::Time> FirstOf(const Json& object,
                                    std::initializer_list<const char*> pointers) {
  for (const char* const pointer : pointers) {
    if (const auto time = engine::ParseRfc3339(kube::StringAt(object, pointer))) return time;
  }
  return std::nullopt;
}

// Repeats are folded into one object by their writers.
std::optional<engine::Time> FirstTimeOfEvent(const Json& event) {
  return FirstOf(
      event, {"/firstTimestamp", "/eventTime", "/lastTimestamp", "/metadata/creationTimestamp"});
}
std::optional<engine::Time> LastTimeOfEvent(const Json& event) {
  return FirstOf(event, {"/series/lastObservedTime", "/lastTimestamp", "/eventTime",
                         "/metadata/creationTimestamp"});
}

}  // namespace

EvidenceCase::EvidenceCase(std::shared_ptr<const engine::Ruleset> ruleset,
                           engine::Workload workload, std::function<void()> changed,
                           kube::MetricsRegistry& metrics)
    : case_(std::move(ruleset), std::move(workload)),
      changed_(std::move(changed)),
      metrics_(metrics) {}

void EvidenceCase::AddLine(const engine::Stream& stream, const StatusLine& line) {
  engine::Stream into = stream;
  if (line.of_workload) {
    into.id += "/message";
    into.trust = engine::Trust::kWorkload;
  }
  {
    const std::lock_guard lock(mutex_);
    if (known_.contains({into.id, line.text})) return;
    if (known_.size() >= kMaxStatusLines) {
      if (std::exchange(cut_, true)) return;
      AddGap(into.source, "states",
             {"TooManyStates",
              fmt::format("Only the first {} states of the workload, its pods and nodes were kept.",
                          kMaxStatusLines),
              engine::Coverage::kPartial},
             true);
      return;
    }
    known_.emplace(into.id, line.text);
    opened_.try_emplace(into.id, into);
    const engine::StreamId id = case_.Open(into);
    case_.IngestLine(id, line.time, line.text);
    if (sealed_) case_.Close(id, engine::Coverage::kComplete);
  }
  AddBytes(into.source, line.text.size());
  News();
}

void EvidenceCase::AddEvents(const EventReader::Answer& answer,
                             const std::map<std::string, engine::Stream>& objects,
                             std::optional<engine::Time> start, std::optional<engine::Time> end) {
  for (const Json& event : answer.events) {
    const auto object = objects.find(EventReader::SubjectOf(event));
    if (object == objects.end()) continue;
    const auto first = FirstTimeOfEvent(event);
    const auto last = LastTimeOfEvent(event);
    if (start && last && *last < *start) continue;
    if (end && first && *first > *end) continue;
    {
      const std::lock_guard lock(mutex_);
      if (!known_events_.insert(kube::UidOf(event)).second) continue;
    }
    AddLine(object->second, {EventLine(event), first, false});
  }
  if (answer.gap) AddGap(engine::Source::kEvent, "events", *answer.gap, false);
}

void EvidenceCase::AddGap(engine::Source source, const std::string& object, const LogGap& gap,
                          bool in_stream) {
  case_.AddGap({source, object, gap.reason, gap.message},
               in_stream ? std::nullopt : std::optional(gap.coverage));
  metrics_.Count("attribution_evidence_gaps_total", "Evidence that could not be read.",
                 {{"source", std::string(engine::ToString(source))}, {"reason", gap.reason}});
}

void EvidenceCase::AddBytes(engine::Source source, std::size_t bytes) {
  metrics_.Count("attribution_evidence_bytes_total", "Evidence that was read.",
                 {{"source", std::string(engine::ToString(source))}}, static_cast<double>(bytes));
}

void EvidenceCase::End() {
  if (--pending_ == 0 && sealed_) changed_();
}

void EvidenceCase::Seal() {
  {
    const std::lock_guard lock(mutex_);
    sealed_ = true;
    for (const auto& [id, stream] : opened_) {
      case_.Close(case_.Open(stream), engine::Coverage::kComplete);
    }
  }
  if (Idle()) changed_();
}

void EvidenceCase::News() {
  if (sealed_ && Idle()) changed_();
}

}  // namespace controllers
