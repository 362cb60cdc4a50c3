// SPDX-License-Identifier: Apache-2.0
#include "engine/case.h"

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <tuple>
#include <utility>

#include "engine/extract/redaction.h"
#include "engine/extract/stream_reader.h"
#include "engine/refine/boots.h"
#include "engine/refine/combine.h"
#include "engine/refine/escalate.h"
#include "engine/refine/explain.h"
#include "engine/refine/finding.h"
#include "engine/refine/report.h"
#include "engine/refine/select.h"
#include "engine/rules/compiled_ruleset.h"

namespace engine {

class Case::Impl {
 public:
  Impl(std::shared_ptr<const Ruleset> ruleset, Workload workload, Limits limits)
      : ruleset_(std::move(ruleset)),
        compiled_(CompiledRuleset::From(*ruleset_)),
        limits_(limits),
        workload_(std::move(workload)) {}

  void SetWorkload(Workload workload) {
    const std::unique_lock lock(mutex_);
    workload_ = std::move(workload);
    for (Open& open : streams_) SetTimes(open);
  }

  StreamId OpenStream(Stream stream) {
    const std::unique_lock lock(mutex_);
    const auto known = ids_.find(stream.id);
    if (known != ids_.end()) {
      if (stream.first_failed) {
        Open& open = streams_.at(static_cast<std::size_t>(known->second));
        const std::lock_guard stream_lock(open.mutex);
        open.reader.SetFirstFailed();
      }
      return known->second;
    }
    const auto id = static_cast<StreamId>(streams_.size());
    ids_[stream.id] = id;
    Open& open = streams_.emplace_back(compiled_, std::move(stream), limits_);
    SetTimes(open);
    return id;
  }

  void Ingest(StreamId id, std::string_view bytes) {
    Open& open = At(id);
    const std::lock_guard lock(open.mutex);
    open.reader.Feed(bytes);
  }

  void IngestLine(StreamId id, std::optional<Time> time, std::string_view message) {
    Open& open = At(id);
    const std::lock_guard lock(open.mutex);
    open.reader.FeedLine(time, message);
  }

  void Close(StreamId id, Coverage coverage) {
    Open& open = At(id);
    const std::lock_guard lock(open.mutex);
    open.reader.Finish();
    open.coverage = coverage;
  }

  void AddGap(const Gap& gap, std::optional<Coverage> coverage) {
    const std::unique_lock lock(mutex_);
    if (coverage) Count(gap_coverage_[gap.source], *coverage);
    gaps_.insert({static_cast<int>(gap.source), gap.object, gap.reason, gap.message});
    // Which are kept must not depend on the order: the smallest.
    if (gaps_.size() > limits_.gaps) gaps_.erase(std::prev(gaps_.end()));
  }

  std::string SetRedactions(const std::vector<std::string>& patterns) {
    const std::unique_lock lock(mutex_);
    return redaction_.Add(patterns);
  }

  Attribution Attribute(const History& history) const {
    const std::shared_lock lock(mutex_);
    std::vector<Event> events;
    std::map<std::size_t, CollectedFact> facts;
    std::map<Source, EvidenceReport> evidence = gap_coverage_;
    std::pair<std::string, std::vector<std::string>> tail;  // the stream's id first
    std::optional<Time> first_words;
    for (const Open& open : streams_) {
      const std::lock_guard stream_lock(open.mutex);
      StreamContents contents = open.reader.Contents();
      const Stream& stream = open.reader.stream();
      std::move(contents.events.begin(), contents.events.end(), std::back_inserter(events));
      for (const auto& [collector, fact] : contents.facts) facts[collector].Merge(fact);
      EvidenceReport& report = evidence[stream.source];
      Count(report, open.coverage);
      report.lines += contents.lines;
      report.bytes += contents.bytes;
      if (contents.first_time && (!first_words || *contents.first_time < *first_words)) {
        first_words = contents.first_time;
      }
      if (stream.first_failed && !contents.tail.empty() &&
          (tail.second.empty() || stream.id < tail.first)) {
        tail = {stream.id, std::move(contents.tail)};
      }
    }
    for (auto& [source, report] : evidence) report.source = source;

    std::vector<Finding> findings =
        SelectFindings(compiled_, workload_, std::move(events), limits_);
    if (!workload_.start) findings = AfterBoots(std::move(findings), first_words);
    Refinement refinement(compiled_, workload_, history, std::move(evidence), std::move(findings));
    Explain(refinement);
    Combine(refinement);
    Escalate(refinement);
    // What was derived explains as well.
    Explain(refinement);
    return Report(refinement, Inputs(facts, std::move(tail.second)), redaction_);
  }

 private:
  struct Open {
    Open(const CompiledRuleset& ruleset, Stream stream, const Limits& limits)
        : reader(ruleset, std::move(stream), limits) {}
    mutable std::mutex mutex;
    StreamReader reader;
    Coverage coverage = Coverage::kPartial;  // until it is closed
  };

  static void Count(EvidenceReport& report, Coverage coverage) {
    switch (coverage) {
      case Coverage::kComplete:
        ++report.complete;
        break;
      case Coverage::kPartial:
        ++report.partial;
        break;
      case Coverage::kMissing:
        ++report.missing;
        break;
      case Coverage::kForbidden:
        ++report.forbidden;
        break;
    }
  }

  Open& At(StreamId id) {
    const std::shared_lock lock(mutex_);
    return streams_.at(static_cast<std::size_t>(id));
  }

  void SetTimes(Open& open) {
    const std::lock_guard lock(open.mutex);
    std::optional<Time> not_before;
    if (workload_.start) not_before = *workload_.start - kBeforeWindow;
    std::optional<Time> about = workload_.about;
    if (workload_.end) about = workload_.end;
    if (workload_.start) about = workload_.start;
    open.reader.SetTimes(about, not_before);
  }

  ReportInputs Inputs(const std::map<std::size_t, CollectedFact>& facts,
                      std::vector<std::string> tail) const {
    ReportInputs inputs{.tail = std::move(tail), .gaps = {}, .facts = {}};
    for (const auto& [source, object, reason, message] : gaps_) {
      inputs.gaps.push_back({static_cast<Source>(source), object, reason, message});
    }
    const auto& collectors = compiled_.model().collectors;
    for (std::size_t i = 0; i < collectors.size(); ++i) {
      const auto found = facts.find(i);
      inputs.facts.push_back(found == facts.end() ? CollectedFact().Report(collectors[i])
                                                  : found->second.Report(collectors[i]));
    }
    // What was found first: the list is cut.
    std::sort(inputs.facts.begin(), inputs.facts.end(), [](const Fact& a, const Fact& b) {
      return std::tie(a.state, a.name) < std::tie(b.state, b.name);
    });
    return inputs;
  }

  const std::shared_ptr<const Ruleset> ruleset_;
  const CompiledRuleset& compiled_;
  const Limits limits_;
  mutable std::shared_mutex mutex_;  // all below; a stream's contents have their own
  Workload workload_;
  std::deque<Open> streams_;  // a deque: readers stay where they are
  std::map<std::string, StreamId> ids_;
  std::map<Source, EvidenceReport> gap_coverage_;
  std::set<std::tuple<int, std::string, std::string, std::string>> gaps_;
  Redaction redaction_;
};

Case::Case(std::shared_ptr<const Ruleset> ruleset, Workload workload, Limits limits)
    : impl_(std::make_unique<Impl>(std::move(ruleset), std::move(workload), limits)) {}
Case::~Case() = default;
Case::Case(Case&&) noexcept = default;
Case& Case::operator=(Case&&) noexcept = default;

void Case::SetWorkload(Workload workload) { impl_->SetWorkload(std::move(workload)); }
StreamId Case::Open(Stream stream) { return impl_->OpenStream(std::move(stream)); }
void Case::Ingest(StreamId stream, std::string_view bytes) { impl_->Ingest(stream, bytes); }
void Case::IngestLine(StreamId stream, std::optional<Time> time, std::string_view message) {
  impl_->IngestLine(stream, time, message);
}
void Case::Close(StreamId stream, Coverage coverage) { impl_->Close(stream, coverage); }
void Case::AddGap(const Gap& gap, std::optional<Coverage> coverage) {
  impl_->AddGap(gap, coverage);
}
std::string Case::SetRedactions(const std::vector<std::string>& patterns) {
  return impl_->SetRedactions(patterns);
}
Attribution Case::Attribute(const History& history) const { return impl_->Attribute(history); }

std::string ProblemOfRedactions(const std::vector<std::string>& patterns) {
  return Redaction().Add(patterns);
}

}  // namespace engine
