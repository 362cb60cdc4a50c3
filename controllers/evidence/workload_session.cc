// SPDX-License-Identifier: Apache-2.0
#include "controllers/evidence/workload_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "controllers/evidence/kubelet_log.h"
#include "controllers/evidence/node_conditions.h"
#include "controllers/evidence/placement.h"
#include "controllers/status/field.h"
#include "controllers/workload/owner.h"
#include "controllers/workload/pod_failure.h"

namespace controllers {
namespace {

using engine::Coverage;
using engine::Source;
using kube::Json;

// Node logs are read from a little before the attempt's start: clocks differ, and what breaks a
// node as the workload comes to it belongs to the story.
constexpr std::chrono::minutes kBeforeStart{5};
// A node's death is noticed within minutes.
constexpr std::chrono::minutes kAfterEnd{5};
// For a workload whose start nobody knows.
constexpr std::chrono::hours kUnknownStart{1};

// A workload that fails and restarts for weeks makes new pods and runs all the time. The first are
// kept: what failed first is asked for.
constexpr std::size_t kMaxPods = 20'000;
constexpr std::size_t kMaxLogs = 20'000;

std::string PodObject(const Json& pod) { return "pod/" + kube::NameOf(pod); }

engine::Stream PodStream(Source source, const char* what, const Json& pod) {
  return {.id = fmt::format("{}/{}/{}", what, kube::NameOf(pod), kube::UidOf(pod)),
          .source = source,
          .trust = {},
          .framing = engine::Framing::kBare,
          .node = kube::StringAt(pod, "/spec/nodeName"),
          .object = PodObject(pod),
          .container = {},
          .rank = RankOf(pod)};
}

bool IsNodeSource(Source source) {
  return source == Source::kKernel || source == Source::kSyslog || source == Source::kKubelet;
}

}  // namespace

struct WorkloadSession::Run {
  std::string container;
  std::int64_t number = 0;  // restarts before it
  bool previous = false;    // pods/log has it as the previous one
  bool ended = false;
  std::optional<engine::Time> start;
};

// Opens its stream with the first line: a log that could not be read is a gap, not a stream.
class WorkloadSession::PodLog final : public LogSink {
 public:
  PodLog(WorkloadSession& session, engine::Stream stream, const PodLogTarget& target)
      : case_(*session.case_),
        stream_(std::move(stream)),
        reader_(session.sources_.client, target, session.budget_, *this, session.sources_.timing) {
    case_.Begin();
  }

  void Start(LogSlots& slots, LogSlots::Priority priority) {
    ticket_ = slots.Add(stream_.node, priority,
                        [this](LogSlots::Turn& turn) { return reader_.Read(turn); });
  }
  // Of the container that failed first: the end of its log is kept.
  void SetFirstFailed() {
    const std::lock_guard lock(mutex_);
    stream_.first_failed = true;
    if (id_) case_.engine().Open(stream_);
  }
  void RunEnded(bool failed) {
    reader_.RunEnded();
    ticket_->Wake(failed ? LogSlots::Priority::kFailed : LogSlots::Priority::kUnread);
  }
  void BecamePrevious() {
    reader_.BecamePrevious();
    ticket_->Wake(LogSlots::Priority::kFailed);
  }
  void Seal() {
    reader_.Seal();
    ticket_->Wake(LogSlots::Priority::kUnread);
  }

  void Lines(std::string_view bytes) override {
    OpenStream();
    case_.engine().Ingest(*id_, bytes);
    case_.AddBytes(stream_.source, bytes.size());
  }
  void End(Coverage coverage, const std::vector<LogGap>& gaps) override {
    if (coverage <= Coverage::kPartial) OpenStream();
    if (id_) case_.engine().Close(*id_, coverage);
    for (const LogGap& gap : gaps) {
      case_.AddGap(stream_.source, stream_.object + '/' + stream_.container, gap, id_.has_value());
    }
    case_.End();
  }

 private:
  void OpenStream() {
    const std::lock_guard lock(mutex_);
    if (!id_) id_ = case_.engine().Open(stream_);
  }

  EvidenceCase& case_;
  std::mutex mutex_;
  engine::Stream stream_;               // guarded by mutex_ where it changes
  std::optional<engine::StreamId> id_;  // written by the reader's turns, guarded by mutex_
  PodLogReader reader_;
  std::unique_ptr<LogSlots::Ticket> ticket_;  // last: its turn uses the rest
};

// A node's kernel log by its agent: the kernel's own records, and what user space wrote among them.
class WorkloadSession::NodeLog final : public AgentSink {
 public:
  NodeLog(WorkloadSession& session, engine::Stream kernel, engine::Stream syslog)
      : case_(*session.case_),
        boots_(session.boots_),
        kernel_(std::move(kernel)),
        syslog_(std::move(syslog)) {
    case_.Begin();
  }

  void Subscribe(AgentLogs& agents, const std::string& node, engine::Time since) {
    subscription_ = agents.Subscribe(node, since, *this);
  }
  void Seal() { subscription_->Seal(); }

  void Record(const AgentLine& record) override {
    const bool is_kernels = IsKernels(record);
    std::optional<engine::StreamId>& id = is_kernels ? kernel_id_ : syslog_id_;
    if (!id) id = case_.engine().Open(is_kernels ? kernel_ : syslog_);
    if (record.time) boots_.Note(kernel_.node, record.boot_id, *record.time);
    case_.engine().IngestLine(*id, record.time, record.message);
    case_.AddBytes(is_kernels ? Source::kKernel : Source::kSyslog, record.message.size());
    case_.News();
  }
  void End(Coverage coverage, const std::vector<LogGap>& gaps) override {
    // A kernel that had nothing to say was heard all the same.
    if (!kernel_id_ && coverage <= Coverage::kPartial) kernel_id_ = case_.engine().Open(kernel_);
    if (kernel_id_) case_.engine().Close(*kernel_id_, coverage);
    if (syslog_id_) case_.engine().Close(*syslog_id_, coverage);
    for (const LogGap& gap : gaps) {
      case_.AddGap(Source::kKernel, kernel_.object, gap, kernel_id_.has_value());
    }
    case_.End();
  }

 private:
  EvidenceCase& case_;
  NodeBoots& boots_;
  const engine::Stream kernel_;
  const engine::Stream syslog_;
  std::optional<engine::StreamId> kernel_id_;
  std::optional<engine::StreamId> syslog_id_;
  std::unique_ptr<AgentLogs::Subscription> subscription_;  // last: its calls use the rest
};

// A node's kern.log by its kubelet, read once, at the end.
class WorkloadSession::KubeletLog {
 public:
  KubeletLog(WorkloadSession& session, const std::string& node)
      : case_(*session.case_),
        stream_(session.NodeStream(Source::kSyslog, node)),
        since_(session.NodeLogsSince()) {
    case_.Begin();
    ticket_ =
        session.sources_.slots.Add(node, LogSlots::Priority::kUnread,
                                   [this, &client = session.sources_.client,
                                    timing = session.sources_.timing, node](LogSlots::Turn& turn) {
                                     const std::optional<KubeletLogFile> file =
                                         ReadKubeletLog(client, node, timing, turn.stop());
                                     if (!file) return LogSlots::Next::kAgain;
                                     Take(*file);
                                     return LogSlots::Next::kDone;
                                   });
  }

 private:
  void Take(const KubeletLogFile& file) {
    if (file.gap) {
      case_.AddGap(stream_.source, stream_.object, *file.gap, false);
    } else {
      engine::Stream stream = stream_;
      stream.id = "kubelet-log/" + stream.node;
      stream.framing = engine::Framing::kDetect;
      const engine::StreamId id = case_.engine().Open(stream);
      case_.engine().Ingest(id, file.text);
      const auto beginning = BeginningOf(file.text, since_);
      const bool whole = beginning && *beginning <= since_;
      case_.engine().Close(id, whole ? Coverage::kComplete : Coverage::kPartial);
      if (!whole) {
        case_.AddGap(
            stream.source, stream.object,
            {"KernelLogRotated",
             beginning ? fmt::format("kern.log begins at {}: what the node wrote there before "
                                     "was rotated away. Use the node agent.",
                                     engine::FormatTime(*beginning))
                       : std::string("kern.log doesn't tell when it begins."),
             Coverage::kPartial},
            true);
      }
      case_.AddBytes(stream.source, file.text.size());
    }
    case_.End();
  }

  EvidenceCase& case_;
  const engine::Stream stream_;
  const engine::Time since_;
  std::unique_ptr<LogSlots::Ticket> ticket_;  // last: its turn uses the rest
};

WorkloadSession::WorkloadSession(EvidenceSources sources, SessionSubject subject,
                                 SessionOptions options,
                                 std::shared_ptr<const engine::Ruleset> ruleset,
                                 std::function<void()> changed)
    : sources_(std::move(sources)),
      subject_(std::move(subject)),
      options_(std::move(options)),
      case_(std::make_shared<EvidenceCase>(
          std::move(ruleset),
          engine::Workload{
              .kind = subject_.kind, .name_space = subject_.name_space, .name = subject_.name},
          std::move(changed), sources_.metrics)),
      budget_(options_.max_bytes_per_workload) {
  // The policy's patterns were checked when it was accepted; one that is bad all the same must not
  // let through what it was meant to hide.
  if (const std::string problem = case_->engine().SetRedactions(options_.redact);
      !problem.empty()) {
    case_->AddGap(Source::kAppLog, subject_.name,
                  {"BadRedaction", "spec.evidence.redact: " + problem, Coverage::kPartial}, true);
  }
  if (subject_.remote) {
    case_->AddGap(Source::kAppLog, subject_.name,
                  {"RemoteCluster",
                   "The workload's pods run in another cluster (spec.managedBy, MultiKueue); "
                   "install the operator there.",
                   Coverage::kMissing},
                  false);
  }
  if (options_.node_logs.contains("KubeletLogs") && !sources_.kubelet_logs) {
    case_->AddGap(Source::kSyslog, "nodes",
                  {"KubeletLogsDisabled",
                   "The policy asks for KubeletLogs; the operator was started without "
                   "--kubelet-logs, which needs the right to get nodes/proxy.",
                   Coverage::kForbidden},
                  false);
  }
}

WorkloadSession::~WorkloadSession() = default;

void WorkloadSession::Update(const engine::Workload& workload,
                             const std::vector<kube::ObjectPtr>& pods,
                             const std::vector<StatusLine>& workload_lines) {
  const std::lock_guard lock(mutex_);
  if (sealed_) return;
  UpdateWorkload(workload);
  FindFirstFailure(pods);
  std::set<std::string> present;
  for (const kube::ObjectPtr& pod : pods) {
    present.insert(kube::UidOf(*pod));
    UpdatePod(pod);
  }
  for (const auto& [uid, pod] : pods_) {
    if (!present.contains(uid) && gone_.insert(uid).second) PodGone(uid);
  }
  for (const std::string& node : workload_.nodes) OpenNode(node);
  const engine::Stream stream{.id = "scheduler",
                              .source = Source::kScheduler,
                              .trust = {},
                              .framing = engine::Framing::kBare,
                              .node = {},
                              .object = subject_.kind + '/' + subject_.name,
                              .container = {},
                              .rank = {}};
  for (const StatusLine& line : workload_lines) case_->AddLine(stream, line);
  if (!events_read_ && first_failure_) {
    events_read_ = true;
    ReadEvents();
  }
}

void WorkloadSession::UpdateWorkload(const engine::Workload& workload) {
  const std::optional<engine::Time> start = workload_.start;
  workload_ = workload;
  // A start that was once known stays: some kinds forget it when they are suspended.
  if (start && (!workload_.start || *start < *workload_.start)) workload_.start = start;
  case_->engine().SetWorkload(workload_);
}

// Which container was the first: the end of its log is kept for an Unknown verdict.
void WorkloadSession::FindFirstFailure(const std::vector<kube::ObjectPtr>& pods) {
  if (first_failure_) return;
  std::optional<std::pair<std::string, std::string>> first;  // time, then who
  for (const kube::ObjectPtr& pod : pods) {
    const std::optional<PodFailure> failure = FirstFailure(*pod);
    if (!failure) continue;
    std::pair<std::string, std::string> found{
        failure->time.empty() ? kube::StringAt(*pod, "/metadata/creationTimestamp") : failure->time,
        kube::UidOf(*pod) + '/' + failure->container};
    if (!first || found < *first) first = std::move(found);
  }
  if (!first) return;
  first_failure_ = engine::ParseRfc3339(first->first).value_or(sources_.now());
  first_failed_ = first->second;
  // Those that have been opened meanwhile.
  for (auto log = logs_.lower_bound(first_failed_ + '/');
       log != logs_.end() && log->first.starts_with(first_failed_ + '/'); ++log) {
    log->second->SetFirstFailed();
  }
}

void WorkloadSession::UpdatePod(const kube::ObjectPtr& pod) {
  const std::string uid = kube::UidOf(*pod);
  if (pods_.size() >= kMaxPods && !pods_.contains(uid)) {
    TellTooMany("TooManyPods", fmt::format("Only the first {} pods were looked at.", kMaxPods));
    return;
  }
  kube::ObjectPtr& known = pods_[uid];
  if (known && kube::ResourceVersionOf(*known) == kube::ResourceVersionOf(*pod)) return;
  known = pod;
  const engine::Stream stream = PodStream(Source::kPodStatus, "status", *pod);
  for (const StatusLine& line : PodStatusLines(*pod)) case_->AddLine(stream, line);
  if (!subject_.remote && !stream.node.empty()) UpdateRuns(*pod);
}

void WorkloadSession::UpdateRuns(const Json& pod) {
  for (const char* const list : {"/status/initContainerStatuses", "/status/containerStatuses"}) {
    for (const Json& status : Field(pod, list)) {
      Run run;
      run.container = kube::StringAt(status, "/name");
      run.number = IntegerField(status, "/restartCount", 0);
      const auto time = [&](const char* pointer) {
        return engine::ParseRfc3339(kube::StringAt(status, pointer));
      };
      const bool has_last = Field(status, "/lastState/terminated").is_object();
      if (Field(status, "/state/running").is_object()) {
        run.start = time("/state/running/startedAt");
      } else if (Field(status, "/state/terminated").is_object()) {
        run.start = time("/state/terminated/startedAt");
        run.ended = true;
      } else if (has_last) {  // waits to be started again: what pods/log has is the last run
        run.start = time("/lastState/terminated/startedAt");
        run.ended = true;
        OpenLog(pod, run);
        continue;
      } else {
        continue;
      }
      if (has_last && run.number > 0) {
        OpenLog(pod, {run.container, run.number - 1, true, true,
                      time("/lastState/terminated/startedAt")});
      }
      OpenLog(pod, run);
    }
  }
}

void WorkloadSession::OpenLog(const Json& pod, const Run& run) {
  const std::string who = kube::UidOf(pod) + '/' + run.container;
  const std::string id = who + '/' + std::to_string(run.number);
  if (logs_.size() >= kMaxLogs && !logs_.contains(id)) {
    TellTooMany(
        "TooManyRuns",
        fmt::format("Only the logs of the first {} runs of containers were read.", kMaxLogs));
    return;
  }
  std::unique_ptr<PodLog>& log = logs_[id];
  const bool urgent = FirstFailure(pod).has_value() || kube::IsBeingDeleted(pod);
  if (log) {
    if (run.previous) {
      log->BecamePrevious();
    } else if (run.ended) {
      log->RunEnded(urgent);
    }
    return;
  }
  engine::Stream stream = PodStream(Source::kAppLog, "log", pod);
  stream.id += fmt::format("/{}/{}", run.container, run.number);
  stream.framing = engine::Framing::kKubernetesTimestamp;
  stream.container = run.container;
  stream.first_failed = who == first_failed_;
  log = std::make_unique<PodLog>(*this, std::move(stream),
                                 PodLogTarget{.pod = kube::KeyOf(pod),
                                              .container = run.container,
                                              .previous = run.previous,
                                              .start = run.start,
                                              .max_bytes = options_.max_bytes_per_container});
  log->Start(sources_.slots, urgent ? LogSlots::Priority::kFailed : LogSlots::Priority::kUnread);
  if (run.ended) log->RunEnded(urgent);
  // Of the runs before the previous one nothing is left.
  if (run.number > 1 && !logs_.contains(who + '/' + std::to_string(run.number - 2)) &&
      run.previous) {
    case_->AddGap(Source::kAppLog, PodObject(pod) + '/' + run.container,
                  {"EarlierRunsRemoved",
                   fmt::format("The kubelet keeps the logs of the last two runs; {} earlier ones "
                               "are gone.",
                               run.number),
                   Coverage::kPartial},
                  true);
  }
}

void WorkloadSession::TellTooMany(const char* reason, const std::string& message) {
  if (told_.insert(reason).second) {
    case_->AddGap(Source::kAppLog, subject_.kind + '/' + subject_.name,
                  {reason, message, Coverage::kPartial}, true);
  }
}

void WorkloadSession::PodGone(const std::string& uid) {
  for (auto log = logs_.lower_bound(uid + '/');
       log != logs_.end() && log->first.starts_with(uid + '/'); ++log) {
    log->second->RunEnded(true);
  }
}

engine::Time WorkloadSession::NodeLogsSince() const {
  return workload_.start ? *workload_.start - kBeforeStart : sources_.now() - kUnknownStart;
}

engine::Stream WorkloadSession::NodeStream(Source source, const std::string& node) const {
  engine::Stream stream{.id = fmt::format("{}/{}", engine::ToString(source), node),
                        .source = source,
                        .trust = {},
                        .framing = engine::Framing::kBare,
                        .node = node,
                        .object = "node/" + node,
                        .container = {},
                        .rank = {}};
  // Whoever asks by hand chose the workload and its window: enough to learn from, not to convict.
  if (!subject_.operator_origin) stream.trust = engine::Trust::kWorkload;
  return stream;
}

void WorkloadSession::OpenNode(const std::string& node) {
  if (boot_ids_.contains(node)) return;
  const kube::ObjectPtr object = sources_.nodes.Get({{}, node});
  boot_ids_[node] = object ? BootIdOf(*object) : std::string();
  if (object) {
    ReadNode(*object);
  } else {
    case_->AddGap(Source::kNodeCondition, "node/" + node,
                  {"NodeNotFound", "There is no Node of that name any more.", Coverage::kMissing},
                  false);
  }
  if (!options_.node_logs.contains("Agent") || subject_.remote) return;
  auto log = std::make_unique<NodeLog>(*this, NodeStream(Source::kKernel, node),
                                       NodeStream(Source::kSyslog, node));
  log->Subscribe(sources_.agents, node, NodeLogsSince());
  node_logs_[node] = std::move(log);
}

void WorkloadSession::ReadNode(const Json& node) {
  const engine::Stream stream = NodeStream(Source::kNodeCondition, kube::NameOf(node));
  for (const StatusLine& line : NodeConditionLines(node)) case_->AddLine(stream, line);
}

void WorkloadSession::NodeChanged(const Json& node) {
  const std::lock_guard lock(mutex_);
  if (boot_ids_.contains(kube::NameOf(node))) ReadNode(node);
}

void WorkloadSession::ReadEvents() {
  std::map<std::string, engine::Stream> objects;
  const auto add = [&](const std::string& uid, const std::string& object, const std::string& node) {
    if (uid.empty()) return;
    objects.try_emplace(uid, engine::Stream{.id = "event/" + uid,
                                            .source = Source::kEvent,
                                            .trust = {},
                                            .framing = engine::Framing::kBare,
                                            .node = node,
                                            .object = object,
                                            .container = {},
                                            .rank = {}});
  };
  add(subject_.uid, subject_.kind + '/' + subject_.name, {});
  for (const auto& [uid, pod] : pods_) {
    add(uid, PodObject(*pod), kube::StringAt(*pod, "/spec/nodeName"));
    const Owner owner = ControllerOf(*pod);
    add(owner.uid, owner.kind + '/' + owner.name, {});
  }
  std::set<std::string> uids;
  for (const auto& [uid, stream] : objects) uids.insert(uid);
  case_->Begin();
  sources_.events.Read(subject_.name_space, std::move(uids),
                       [weak = std::weak_ptr(case_), objects,
                        start = workload_.start](const EventReader::Answer& answer) {
                         const std::shared_ptr<EvidenceCase> into = weak.lock();
                         if (!into) return;
                         into->AddEvents(answer, objects, start, {});
                         into->End();
                       });
}

void WorkloadSession::ReadNodeEvents() {
  // Who asks by hand gets nothing of other namespaces.
  if (boot_ids_.empty() || subject_.remote || !subject_.operator_origin) return;
  std::map<std::string, engine::Stream> objects;
  std::set<std::string> nodes;
  for (const auto& [node, boot] : boot_ids_) {
    nodes.insert(node);
    objects.emplace(EventReader::SubjectOfNode(node), NodeStream(Source::kEvent, node));
  }
  case_->Begin();
  std::optional<engine::Time> end = workload_.end;
  if (end) *end += kAfterEnd;
  sources_.events.ReadOfNodes(nodes, [weak = std::weak_ptr(case_), objects, start = NodeLogsSince(),
                                      end](const EventReader::Answer& answer) {
    const std::shared_ptr<EvidenceCase> into = weak.lock();
    if (!into) return;
    into->AddEvents(answer, objects, start, end);
    into->End();
  });
}

void WorkloadSession::Seal() {
  const std::lock_guard lock(mutex_);
  if (sealed_) return;
  sealed_ = true;
  case_->Begin();  // this function
  for (const auto& [id, log] : logs_) log->Seal();
  for (const auto& [node, log] : node_logs_) log->Seal();
  if (sources_.kubelet_logs && options_.node_logs.contains("KubeletLogs") && !subject_.remote) {
    for (const auto& [node, boot] : boot_ids_) {
      kubelet_logs_[node] = std::make_unique<KubeletLog>(*this, node);
    }
  }
  ReadEvents();
  ReadNodeEvents();
  case_->Seal();
  case_->End();
}

void WorkloadSession::CutShort(const std::string& why) {
  case_->AddGap(Source::kAppLog, subject_.kind + '/' + subject_.name,
                {"CutShort", why, Coverage::kPartial}, true);
  Seal();
}

bool WorkloadSession::Drained() const { return case_->sealed() && case_->Idle(); }

engine::Attribution WorkloadSession::Attribute(const engine::History& history) const {
  engine::Attribution attribution = case_->engine().Attribute(history);
  if (!subject_.operator_origin) {
    // The lines around a symptom in a node's log are other people's.
    if (attribution.root && IsNodeSource(attribution.root->source)) {
      attribution.root->before.clear();
      attribution.root->after.clear();
    }
    attribution.verdict.node_fault = false;
  }
  return attribution;
}

Placement WorkloadSession::placement() const {
  std::vector<kube::ObjectPtr> pods;
  const std::lock_guard lock(mutex_);
  for (const auto& [uid, pod] : pods_) pods.push_back(pod);
  return PlacementOf(pods);
}

std::optional<engine::Time> WorkloadSession::first_failure() const {
  const std::lock_guard lock(mutex_);
  return first_failure_;
}

std::string WorkloadSession::BootId(const std::string& node, Source source,
                                    engine::Time time) const {
  if (source == Source::kKernel) return boots_.At(node, time);
  if (source != Source::kNodeCondition) return {};
  const std::lock_guard lock(mutex_);
  const auto found = boot_ids_.find(node);
  return found == boot_ids_.end() ? std::string() : found->second;
}

}  // namespace controllers
