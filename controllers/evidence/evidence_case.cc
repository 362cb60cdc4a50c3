// SPDX-License-Identifier: Apache-2.0
#include "controllers/evidence/evidence_case.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "controllers/evidence/lines.h"

namespace controllers {
namespace {

using kube::Json;

// The first time that the event tells: repeats are folded into one object by their writers.
std::optional<engine::Time> TimeOfEvent(const Json& event) {
  for (const char* const pointer :
       {"/firstTimestamp", "/eventTime", "/lastTimestamp", "/metadata/creationTimestamp"}) {
    if (const auto time = engine::ParseRfc3339(kube::StringAt(event, pointer))) return time;
  }
  return std::nullopt;
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
    if (!known_.emplace(into.id, line.text).second) return;
    opened_.try_emplace(into.id, into);
    case_.IngestLine(case_.Open(into), line.time, line.text);
  }
  AddBytes(into.source, line.text.size());
  News();
}

void EvidenceCase::AddEvents(const EventReader::Answer& answer,
                             const std::map<std::string, engine::Stream>& objects) {
  for (const Json& event : answer.events) {
    const auto object = objects.find(kube::StringAt(event, "/involvedObject/uid"));
    if (object == objects.end()) continue;
    {
      const std::lock_guard lock(mutex_);
      if (!known_events_.insert(kube::UidOf(event)).second) continue;
    }
    AddLine(object->second, {EventLine(event), TimeOfEvent(event), false});
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

void EvidenceCase::CloseLines() {
  const std::lock_guard lock(mutex_);
  for (const auto& [id, stream] : opened_) {
    case_.Close(case_.Open(stream), engine::Coverage::kComplete);
  }
}

void EvidenceCase::End() {
  if (--pending_ == 0 && sealed_) changed_();
}

void EvidenceCase::Seal() {
  sealed_ = true;
  if (Idle()) changed_();
}

void EvidenceCase::News() {
  if (sealed_ && Idle()) changed_();
}

}  // namespace controllers
