// SPDX-License-Identifier: Apache-2.0
#include "controllers/evidence/agent_logs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "controllers/evidence/pause.h"
#include "controllers/status/conditions.h"
#include "controllers/status/field.h"
#include "controllers/workload/owner.h"
#include "controllers/workload/pod_projection.h"

namespace controllers {
namespace {

using kube::Json;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using Next = LogSlots::Next;

const kube::Resource kDaemonSets{"apps", "v1", "daemonsets", "DaemonSet", true};
constexpr std::chrono::seconds kDaemonSetAge{30};
// A reading goes back further than it is asked to, so that it also serves workloads that started a
// little earlier.
constexpr std::chrono::minutes kEarlier{10};
// What is held for workloads that join later. Beyond it they get a reading of their own.
constexpr std::size_t kMaxHeldBytes = 4 << 20;
constexpr std::size_t kChunk = 64 * 1024;
// How long a reading without subscribers is kept for the next one.
constexpr std::chrono::seconds kLinger{5};

std::optional<engine::Time> TimeAt(const Json& object, const char* pointer) {
  return engine::ParseRfc3339(kube::StringAt(object, pointer));
}

}  // namespace

struct AgentLogs::Agent {
  kube::ObjectKey pod;
  std::string uid;
  std::string container;
  std::optional<engine::Time> started;         // of the run that goes on
  std::optional<engine::Time> previous_ended;  // of the run before
};

// One node's agent, from some time on. Its turns run under LogSlots.
class AgentLogs::Reading {
 public:
  Reading(AgentLogs& logs, std::string node, engine::Time since)
      : logs_(logs), node_(std::move(node)), since_(since), held_since_(since) {}

  void Start() {
    ticket_ = logs_.slots_.Add(node_, LogSlots::Priority::kUnread,
                               [this](LogSlots::Turn& turn) { return Read(turn); });
  }
  void Stop() { ticket_.reset(); }
  void Wake() { ticket_->Wake(LogSlots::Priority::kUnread); }

  const std::string& node() const { return node_; }

  // False if it can't tell all since then.
  bool Join(SubscriptionImpl& subscription, engine::Time since);
  void Leave(SubscriptionImpl& subscription);
  // Nobody has wanted it for a while.
  bool Expired() {
    const std::lock_guard lock(mutex_);
    return subscriptions_.empty() && steady_clock::now() - left_ > kLinger;
  }
  // The mutex that guards the subscriptions' states.
  std::mutex& mutex() { return mutex_; }

 private:
  struct Held {
    AgentLine line;
    engine::Time printed;
  };

  Next Read(LogSlots::Turn& turn);
  // Reads until the stream ends. The gap says why there is no more to come.
  std::optional<LogGap> ReadAgent(LogSlots::Turn& turn);
  void ReadPrevious(const Agent& agent, const std::stop_token& stop);
  void Follow(const Agent& agent, LogSlots::Turn& turn);
  // Whether the agent's log still goes back to since_.
  void CheckBeginning(const Agent& agent, const std::stop_token& stop);
  void TakeLine(std::string_view line);
  void Deliver(const AgentLine& line);
  void Note(LogGap gap);
  // Ends what is sealed if nothing has come for long enough; or because `gap` says why not.
  void EndSealed(const std::optional<LogGap>& gap);

  AgentLogs& logs_;
  const std::string node_;
  const engine::Time since_;
  std::unique_ptr<LogSlots::Ticket> ticket_;

  // Only touched within turns.
  LineBuffer buffer_;
  std::optional<engine::Time> printed_;                                  // of the newest line
  std::map<std::pair<std::string, std::string>, std::uint64_t> newest_;  // by boot and transport
  std::string agent_run_;  // pod UID and start: changes with each run of the agent
  bool catching_up_ = false;
  steady_clock::time_point last_line_;

  std::mutex mutex_;  // guards all below
  std::list<SubscriptionImpl*> subscriptions_;
  std::vector<Held> held_;
  std::size_t held_bytes_ = 0;
  engine::Time held_since_;
  std::vector<LogGap> gaps_;
  steady_clock::time_point left_ = steady_clock::now();
};

class AgentLogs::SubscriptionImpl final : public Subscription {
 public:
  SubscriptionImpl(AgentLogs& logs, AgentSink& sink) : logs_(logs), sink_(sink) {}
  ~SubscriptionImpl() override {
    if (!reading_) return;
    reading_->Leave(*this);
    reading_.reset();
    logs_.Reap();
  }
  SubscriptionImpl(const SubscriptionImpl&) = delete;
  SubscriptionImpl& operator=(const SubscriptionImpl&) = delete;

  void Seal() override {
    {
      const std::lock_guard lock(reading_->mutex());
      if (!sealed) sealed = steady_clock::now();
    }
    reading_->Wake();
  }

  bool Join(const std::shared_ptr<Reading>& reading, engine::Time since) {
    if (!reading->Join(*this, since)) return false;
    reading_ = reading;
    return true;
  }
  AgentSink& sink() { return sink_; }

  std::optional<steady_clock::time_point> sealed;  // guarded by the reading's mutex, as is ended
  bool ended = false;

 private:
  AgentLogs& logs_;
  std::shared_ptr<Reading> reading_;
  AgentSink& sink_;
};

bool AgentLogs::Reading::Join(SubscriptionImpl& subscription, engine::Time since) {
  const std::lock_guard lock(mutex_);
  if (since < held_since_) return false;
  subscriptions_.push_back(&subscription);
  for (const Held& held : held_) subscription.sink().Record(held.line);
  return true;
}

void AgentLogs::Reading::Leave(SubscriptionImpl& subscription) {
  const std::lock_guard lock(mutex_);
  subscriptions_.remove(&subscription);
  left_ = steady_clock::now();
}

Next AgentLogs::Reading::Read(LogSlots::Turn& turn) {
  std::optional<steady_clock::time_point> away_since;
  milliseconds retry = logs_.timing_.first_retry;
  while (!turn.stop().stop_requested()) {
    {
      const std::lock_guard lock(mutex_);
      if (subscriptions_.empty()) return Next::kPark;
    }
    std::optional<LogGap> gap;
    milliseconds patience{0};
    try {
      gap = ReadAgent(turn);
      if (!gap) {  // the stream has ended, as it does when the agent's container is replaced
        away_since.reset();
        if (!Pause(turn.stop(), retry)) return Next::kAgain;
        retry = std::min(2 * retry, logs_.timing_.last_retry);
        continue;
      }
    } catch (const kube::ApiError& error) {
      if (error.IsCancelled()) return Next::kAgain;
      const bool forbidden =
          error.IsForbidden() || error.reason == kube::ErrorReason::kUnauthorized;
      gap = LogGap{forbidden ? "Forbidden" : "AgentUnavailable", error.what(),
                   forbidden ? engine::Coverage::kForbidden : engine::Coverage::kMissing};
      if (!forbidden && error.reason != kube::ErrorReason::kBadRequest) {
        patience = error.http_status == 0 ? logs_.timing_.server_away : logs_.timing_.node_away;
      }
    }
    const auto now = steady_clock::now();
    if (!away_since) away_since = now;
    if (now - *away_since >= patience) {
      EndSealed(gap);
      return Next::kPark;  // somebody who joins or ends has it looked at again
    }
    if (!Pause(turn.stop(), retry)) return Next::kAgain;
    retry = std::min(2 * retry, logs_.timing_.last_retry);
  }
  return Next::kAgain;
}

std::optional<LogGap> AgentLogs::Reading::ReadAgent(LogSlots::Turn& turn) {
  const std::variant<Agent, LogGap> found = logs_.FindAgent(node_, turn.stop());
  if (const auto* const gap = std::get_if<LogGap>(&found)) return *gap;
  const Agent& agent = std::get<Agent>(found);
  Follow(agent, turn);
  if (agent.started) return std::nullopt;
  return LogGap{"AgentNotRunning",
                fmt::format("The node agent {} does not run; see its pod's status and log.",
                            agent.pod.ToString()),
                engine::Coverage::kPartial};
}

void AgentLogs::Reading::Follow(const Agent& agent, LogSlots::Turn& turn) {
  const std::string run =
      agent.uid + '/' + (agent.started ? engine::FormatTime(*agent.started) : std::string());
  if (run != agent_run_) {
    ReadPrevious(agent, turn.stop());
    CheckBeginning(agent, turn.stop());
    agent_run_ = run;
  }
  const engine::Time from = printed_ ? std::max(*printed_, since_) : since_;
  const std::unique_ptr<kube::ByteStream> stream = logs_.client_.Logs(
      agent.pod,
      {.container = agent.container,
       .follow = true,
       .previous = false,
       .timestamps = true,
       .tail_lines = {},
       // Whole seconds, as the API server passes them on; what comes again is told by its number.
       .since_time = FormatSeconds(std::chrono::floor<std::chrono::seconds>(from))},
      {.stop = turn.stop()});
  buffer_.Clear();
  last_line_ = steady_clock::now();
  std::string chunk(kChunk, '\0');
  const milliseconds tick = std::max(logs_.timing_.idle / 5, milliseconds(1));
  while (true) {
    std::size_t size = 0;
    try {
      size = stream->Read(chunk.data(), chunk.size(), tick);
    } catch (const kube::ApiError& error) {
      if (error.reason != kube::ErrorReason::kTimeout) throw;
      {
        const std::lock_guard lock(mutex_);
        if (subscriptions_.empty()) return;
      }
      if (steady_clock::now() - last_line_ >= logs_.timing_.idle) {
        EndSealed(std::nullopt);
        turn.CaughtUp();
      }
      continue;
    }
    if (size == 0) break;
    last_line_ = steady_clock::now();
    buffer_.Feed(std::string_view(chunk).substr(0, size),
                 [this](std::string_view line) { TakeLine(line); });
    // In a kernel that never rests, what was printed after the end will do.
    EndSealed(std::nullopt);
  }
}

void AgentLogs::Reading::ReadPrevious(const Agent& agent, const std::stop_token& stop) {
  if (!agent.previous_ended || *agent.previous_ended < since_) return;
  try {
    const std::unique_ptr<kube::ByteStream> stream =
        logs_.client_.Logs(agent.pod,
                           {.container = agent.container,
                            .follow = false,
                            .previous = true,
                            .timestamps = true,
                            .tail_lines = {},
                            .since_time = FormatSeconds(since_)},
                           {.stop = stop});
    buffer_.Clear();
    std::string chunk(kChunk, '\0');
    while (const std::size_t size =
               stream->Read(chunk.data(), chunk.size(), logs_.timing_.ended_quiet)) {
      buffer_.Feed(std::string_view(chunk).substr(0, size),
                   [this](std::string_view line) { TakeLine(line); });
    }
  } catch (const kube::ApiError& error) {
    // The run that goes on repeats the boot's records; only an earlier boot's are lost.
    if (error.reason != kube::ErrorReason::kBadRequest) throw;
  }
}

void AgentLogs::Reading::CheckBeginning(const Agent& agent, const std::stop_token& stop) {
  if (!agent.started) return;
  const std::unique_ptr<kube::ByteStream> stream = logs_.client_.Logs(agent.pod,
                                                                      {.container = agent.container,
                                                                       .follow = false,
                                                                       .previous = false,
                                                                       .timestamps = true,
                                                                       .tail_lines = {},
                                                                       .since_time = {}},
                                                                      {.stop = stop});
  std::string line;
  std::array<char, 512> chunk{};
  while (line.size() < chunk.size() && line.find('\n') == std::string::npos) {
    const std::size_t size = stream->Read(chunk.data(), chunk.size(), logs_.timing_.ended_quiet);
    if (size == 0) break;
    line.append(chunk.data(), size);
  }
  line.resize(std::min(line.size(), line.find('\n')));
  const auto first = TimeOfLogLine(line);
  if (!first) return;
  // A run first prints its node's boot once more: where its own beginning is, nothing is missing.
  const auto notice = ParseAgentLine(std::string_view(line).substr(line.find(' ') + 1));
  if (notice && notice->kind == AgentLine::Kind::kStart) return;
  if (*first > since_) {
    Note({"LogRotated",
          fmt::format("The node agent's log on {} begins at {}: what it printed before was rotated "
                      "away. Raise the kubelet's containerLogMaxSize.",
                      node_, engine::FormatTime(*first)),
          engine::Coverage::kPartial});
  }
}

void AgentLogs::Reading::TakeLine(std::string_view text) {
  const auto printed = TimeOfLogLine(text);
  const std::size_t blank = text.find(' ');
  const auto line = ParseAgentLine(blank == std::string_view::npos ? text : text.substr(blank + 1));
  if (printed && (!printed_ || *printed > *printed_)) printed_ = printed;
  if (!line) {
    Note({"AgentLineUnreadable",
          fmt::format("The node agent on {} printed lines that this version does not understand. "
                      "Run the operator and the agent in the same version.",
                      node_),
          engine::Coverage::kPartial});
    return;
  }
  switch (line->kind) {
    case AgentLine::Kind::kRecord: {
      // An agent that was restarted prints its node's boot again, in the same order.
      const auto [newest, is_first] =
          newest_.try_emplace({line->boot_id, line->transport}, line->seq);
      if (!is_first && line->seq <= newest->second) return;
      newest->second = line->seq;
      Deliver(*line);
      break;
    }
    case AgentLine::Kind::kStart:
      catching_up_ = true;
      break;
    case AgentLine::Kind::kCaughtUp:
      catching_up_ = false;
      break;
    case AgentLine::Kind::kOverrun:
      // What was lost is older than all that is asked for.
      if (line->time && *line->time <= since_) break;
      Note({"KernelLogOverrun",
            fmt::format("The kernel of {} overwrote records before the node agent had read them.",
                        node_),
            engine::Coverage::kPartial});
      break;
    case AgentLine::Kind::kDropped:
      Note({"KernelLogFlood",
            fmt::format("The node agent on {} dropped records of a flood.", node_),
            engine::Coverage::kPartial});
      break;
    case AgentLine::Kind::kOther:
      break;
  }
}

void AgentLogs::Reading::Deliver(const AgentLine& line) {
  const std::lock_guard lock(mutex_);
  held_.push_back({line, printed_.value_or(since_)});
  held_bytes_ += line.message.size() + sizeof(Held);
  if (held_bytes_ > kMaxHeldBytes) {
    const auto half = held_.begin() + static_cast<std::ptrdiff_t>(held_.size() / 2);
    for (auto gone = held_.begin(); gone != half; ++gone) {
      held_bytes_ -= gone->line.message.size() + sizeof(Held);
    }
    held_since_ = half->printed;
    held_.erase(held_.begin(), half);
  }
  for (SubscriptionImpl* const subscription : subscriptions_) subscription->sink().Record(line);
}

void AgentLogs::Reading::Note(LogGap gap) {
  const std::lock_guard lock(mutex_);
  const bool known = std::any_of(gaps_.begin(), gaps_.end(),
                                 [&](const LogGap& other) { return other.reason == gap.reason; });
  if (!known) gaps_.push_back(std::move(gap));
}

void AgentLogs::Reading::EndSealed(const std::optional<LogGap>& gap) {
  const auto now = steady_clock::now();
  const bool past_end = printed_ && *printed_ > logs_.now_() - logs_.timing_.idle;
  const std::lock_guard lock(mutex_);
  for (SubscriptionImpl* const subscription : subscriptions_) {
    if (!subscription->sealed || subscription->ended) continue;
    const auto waited = now - *subscription->sealed;
    if (gap) {
      std::vector<LogGap> gaps = gaps_;
      gaps.push_back(*gap);
      subscription->ended = true;
      subscription->sink().End(gap->coverage, gaps);
      continue;
    }
    // What the kernel said up to the end is on its way for a moment.
    if (waited < logs_.timing_.idle) continue;
    const bool quiet = now - last_line_ >= logs_.timing_.idle;
    const bool told_all = (quiet || past_end) && !catching_up_;
    if (!told_all && waited < logs_.timing_.ended_quiet) continue;
    auto coverage = engine::Coverage::kComplete;
    for (const LogGap& known : gaps_) coverage = std::max(coverage, known.coverage);
    subscription->ended = true;
    subscription->sink().End(coverage, gaps_);
  }
}

AgentLogs::AgentLogs(kube::Client& client, AgentIdentity identity, LogSlots& slots,
                     const LogTiming& timing, std::function<engine::Time()> now)
    : client_(client),
      identity_(std::move(identity)),
      slots_(slots),
      timing_(timing),
      now_(std::move(now)) {}

AgentLogs::~AgentLogs() {
  for (const auto& reading : readings_) reading->Stop();
}

std::unique_ptr<AgentLogs::Subscription> AgentLogs::Subscribe(const std::string& node,
                                                              engine::Time since, AgentSink& sink) {
  Reap();
  auto subscription = std::make_unique<SubscriptionImpl>(*this, sink);
  const std::lock_guard lock(mutex_);
  for (const auto& reading : readings_) {
    if (reading->node() != node || !subscription->Join(reading, since)) continue;
    reading->Wake();
    return subscription;
  }
  const auto reading = std::make_shared<Reading>(*this, node, since - kEarlier);
  subscription->Join(reading, since);
  reading->Start();
  readings_.push_back(reading);
  return subscription;
}

void AgentLogs::Reap() {
  std::vector<std::shared_ptr<Reading>> expired;
  {
    const std::lock_guard lock(mutex_);
    for (auto reading = readings_.begin(); reading != readings_.end();) {
      if ((*reading)->Expired()) {
        expired.push_back(*reading);
        reading = readings_.erase(reading);
      } else {
        ++reading;
      }
    }
  }
  for (const auto& reading : expired) reading->Stop();  // waits for its turn's end
}

std::string AgentLogs::DaemonSetUid(const std::stop_token& stop) {
  const std::lock_guard lock(daemonset_mutex_);
  const auto now = steady_clock::now();
  if (!daemonset_uid_.empty() && now - daemonset_read_ < kDaemonSetAge) return daemonset_uid_;
  daemonset_uid_.clear();
  try {
    daemonset_uid_ = kube::UidOf(
        client_.Get(kDaemonSets, {identity_.name_space, identity_.daemonset}, {.stop = stop}));
    daemonset_read_ = now;
  } catch (const kube::ApiError& error) {
    if (!error.IsNotFound()) throw;
  }
  return daemonset_uid_;
}

std::variant<AgentLogs::Agent, LogGap> AgentLogs::FindAgent(const std::string& node,
                                                            const std::stop_token& stop) {
  const std::string uid = DaemonSetUid(stop);
  if (uid.empty()) {
    return LogGap{"AgentMissing",
                  fmt::format("There is no DaemonSet {}/{}; install the node agent to have the "
                              "nodes' kernel logs read.",
                              identity_.name_space, identity_.daemonset),
                  engine::Coverage::kMissing};
  }
  std::optional<Json> agent;
  std::size_t others = 0;
  client_.List(kPods,
               {.name_space = identity_.name_space,
                .label_selector = {},
                .field_selector = "spec.nodeName=" + node,
                .resource_version = "0"},
               [&](const Json& pod) {
                 const Owner owner = ControllerOf(pod);
                 if (owner.kind != kDaemonSets.kind || owner.uid != uid ||
                     kube::StringAt(pod, "/spec/nodeName") != node) {
                   ++others;
                   return;
                 }
                 // While one is being replaced, the one that stays.
                 if (!agent || kube::IsBeingDeleted(*agent)) agent = pod;
               },
               {.stop = stop});
  if (!agent) {
    return LogGap{"AgentMissing",
                  fmt::format("No pod of DaemonSet {}/{} is on node {}{}.", identity_.name_space,
                              identity_.daemonset, node,
                              others > 0 ? "; other pods there are not believed" : ""),
                  engine::Coverage::kMissing};
  }
  Agent found{.pod = kube::KeyOf(*agent),
              .uid = kube::UidOf(*agent),
              .container = kube::StringAt(*agent, "/spec/containers/0/name"),
              .started = {},
              .previous_ended = {}};
  const Json& status = Field(*agent, "/status/containerStatuses/0");
  found.started = TimeAt(status, "/state/running/startedAt");
  found.previous_ended = TimeAt(status, "/lastState/terminated/finishedAt");
  return found;
}

}  // namespace controllers
