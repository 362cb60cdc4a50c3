// SPDX-License-Identifier: Apache-2.0
#include "controllers/attribution/attribution_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "controllers/attribution/attribution_informer.h"
#include "controllers/attribution/retirement.h"
#include "controllers/attribution/verdict_announcement.h"
#include "controllers/attribution/verdict_status.h"
#include "controllers/attribution/workload_view.h"
#include "controllers/nodefault/node_fault_report.h"
#include "controllers/status/conditions.h"
#include "controllers/status/field.h"
#include "controllers/status/resources.h"
#include "engine/case.h"

namespace controllers {
namespace {

using kube::Json;
using std::chrono::milliseconds;

constexpr char kDomainLabel[] = "attribution.dev/domain";
// A ruleset that exists is looked at within moments of a start.
constexpr milliseconds kRulesetRetry{200};
constexpr std::chrono::seconds kRulesetWait{20};
// A workload that goes on after its first failure: say that evidence is being read.
constexpr std::chrono::seconds kSlowStart{5};
constexpr std::chrono::minutes kForbiddenRetry{1};
// How long the cache may take to show a workload that was asked about as soon as it was made.
constexpr std::chrono::seconds kWorkloadWait{10};
// Attributions that people made: how many are read at a time, and for how long where the workload
// goes on and no window ends it.
constexpr std::size_t kMaxRequests = 32;
constexpr std::chrono::minutes kMaxRequestTime{30};
constexpr std::chrono::seconds kRequestRetry{5};
constexpr char kWaiting[] = "Waiting";
constexpr std::chrono::minutes kRequestLook{1};
// What conditions, metadata and spec may take of the object.
constexpr std::size_t kReservedBytes = 8 * 1024;
constexpr int kWorkers = 8;

// A verdict without rules that were asked for is not what was asked for.
std::vector<engine::Gap> RulesetGaps(const MergedRuleset& rules) {
  std::vector<engine::Gap> gaps;
  for (const std::string& name : rules.missing) {
    gaps.push_back({engine::Source::kAppLog, "attributionruleset/" + name, "RulesetMissing",
                    "The verdict was made without AttributionRuleset " + name +
                        ": it does not exist, was not accepted, or does not go together with the "
                        "others. See its status, and the names in the policy or the request."});
  }
  return gaps;
}

std::string OriginOf(const Json& attribution) {
  return kube::StringAt(attribution, "/status/origin");
}

Json StatusOf(const Json& attribution) {
  const Json& status = Field(attribution, "/status");
  return status.is_object() ? status : Json::object();
}

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string WorkloadName(const Json& attribution) {
  const Json& workload = Field(attribution, "/spec/workload");
  return fmt::format("{} {}/{}", kube::StringAt(workload, "/kind"), kube::NamespaceOf(attribution),
                     kube::StringAt(workload, "/name"));
}

Condition EvidenceCondition(const Json& status, std::int64_t generation) {
  const Json& gaps = Field(status, "/gaps");
  std::int64_t short_of = 0;
  for (const Json& source : Field(status, "/evidence")) {
    for (const char* kind : {"/partial", "/missing", "/forbidden"}) {
      short_of += IntegerField(source, kind, 0);
    }
  }
  if (gaps.empty() && short_of == 0) {
    return {"EvidenceComplete", "True", "Complete", "Every source was read to its end.",
            generation};
  }
  std::string message = fmt::format("{} of the evidence could not be read completely.", short_of);
  if (!gaps.empty()) {
    message = fmt::format("{} ({}): {}", kube::StringAt(gaps[0], "/object"),
                          kube::StringAt(gaps[0], "/reason"), kube::StringAt(gaps[0], "/message"));
    if (gaps.size() > 1) message += fmt::format(" And {} more in status.gaps.", gaps.size() - 1);
  }
  return {"EvidenceComplete", "False", "Incomplete", message, generation};
}

}  // namespace

// Only the worker that has the request touches it, except `news`.
struct AttributionReconciler::Active {
  std::string uid;
  AttributionSettings settings;
  std::string policy;
  MergedRuleset rules;
  WorkloadNodes where;
  bool by_request = false;
  bool fed = false;
  std::optional<engine::Time> started;
  std::optional<engine::Time> sealed;
  bool wrote_verdict = false;             // this session's own, so it may always replace it
  std::optional<engine::Time> unchanged;  // since when the verdict says the same
  bool node_fault = false;                // the engine's word on the latest answer
  bool announced = false;                 // an Event has told the latest verdict
  Json answer;                            // the status that the latest answer makes
  // Our own last write, until the cache has it.
  std::set<std::string> superseded;  // resourceVersions before it
  Json written;
  // Set by the session's threads; shared, because they may outlast a dropped Active by a moment.
  std::shared_ptr<std::atomic<bool>> news = std::make_shared<std::atomic<bool>>(true);
  std::unique_ptr<Session> session;  // last: its threads end first
};

struct AttributionReconciler::Target {
  WorkloadKind* kind = nullptr;
  kube::ObjectPtr object;       // null: see reason
  std::string reason, message;  // why there is none
};

struct AttributionReconciler::Pass {
  kube::Request request;
  kube::CallOptions call;
  engine::Time now;
  Json attribution;  // newest known; updated by writes
  std::shared_ptr<Active> active;
};

AttributionReconciler::AttributionReconciler(AttributionInputs inputs, AttributionOptions options)
    : in_(inputs), options_(std::move(options)), started_(options_.now()) {}

AttributionReconciler::~AttributionReconciler() = default;

void AttributionReconciler::SetNotify(std::function<void(const kube::Request&)> notify) {
  notify_ = std::move(notify);
}

kube::Result AttributionReconciler::Reconcile(const kube::Request& request, std::stop_token stop) {
  const kube::ObjectPtr cached = in_.attributions.Get(request);
  if (!cached || kube::IsBeingDeleted(*cached)) {
    Drop(request);
    return {};
  }
  Pass pass{
      request, {.stop = stop}, options_.now(), *cached, FindActive(request, kube::UidOf(*cached))};
  if (pass.active) {
    if (pass.active->superseded.contains(kube::ResourceVersionOf(*cached))) {
      pass.attribution = pass.active->written;
    } else {
      pass.active->superseded.clear();  // the cache has caught up
    }
  }
  try {
    return Run(pass);
  } catch (const kube::ApiError& error) {
    if (!error.IsForbidden()) throw;
    in_.events.Event(Regarding(kAttributions, pass.attribution), kube::EventType::kWarning,
                     "Forbidden", "Attribute", error.what());
    if (error.resource != kAttributions.resource) {
      Stall(pass, "Forbidden", error.what());
    }
    return {.requeue_after = kForbiddenRetry};
  }
}

kube::Result AttributionReconciler::Run(Pass& pass) {
  if (IsSettled(pass.attribution)) return AfterSettled(pass);
  if (const auto wait = DecideOrigin(pass)) return {.requeue_after = *wait};
  return Collect(pass);
}

std::shared_ptr<AttributionReconciler::Active> AttributionReconciler::FindActive(
    const kube::Request& request, const std::string& uid) {
  std::shared_ptr<Active> other;  // ended outside the lock
  const std::lock_guard lock(mutex_);
  const auto found = active_.find(request);
  if (found == active_.end()) return nullptr;
  if (found->second->uid == uid) return found->second;
  other = std::move(found->second);
  active_.erase(found);
  return nullptr;
}

void AttributionReconciler::Drop(const kube::Request& request) {
  std::shared_ptr<Active> dropped;  // its session's threads are joined outside the lock
  const std::lock_guard lock(mutex_);
  const auto found = active_.find(request);
  if (found == active_.end()) return;
  dropped = std::move(found->second);
  active_.erase(found);
}

std::optional<milliseconds> AttributionReconciler::DecideOrigin(Pass& pass) {
  if (!OriginOf(pass.attribution).empty()) return std::nullopt;
  // After a start the operator may still be about to say what it made before it was stopped.
  const engine::Time since = std::max(CreatedAt(pass.attribution, pass.now), started_);
  const auto left = since + options_.origin_wait - pass.now;
  if (left > left.zero()) {
    return std::chrono::ceil<milliseconds>(left);
  }
  Json status = StatusOf(pass.attribution);
  status["origin"] = "Request";
  const std::int64_t generation = kube::GenerationOf(pass.attribution);
  SetCondition(status["conditions"],
               {"Ready", "False", "Collecting", "Evidence is being read.", generation}, pass.now);
  WriteStatus(pass, std::move(status));
  return std::nullopt;
}

AttributionReconciler::Target AttributionReconciler::FindTarget(const Json& attribution) const {
  const Json& workload = Field(attribution, "/spec/workload");
  const std::string api_version = kube::StringAt(workload, "/apiVersion");
  const std::string kind_name = kube::StringAt(workload, "/kind");
  Target target;
  for (WorkloadKind* kind : options_.kinds) {
    if (kind->resource().kind == kind_name && kind->resource().ApiVersion() == api_version) {
      target.kind = kind;
    }
  }
  if (target.kind == nullptr) {
    target.reason = "WorkloadKindUnknown";
    target.message = fmt::format("This operator does not attribute {} {}.", api_version, kind_name);
    return target;
  }
  const kube::ObjectPtr object = target.kind->informer().Get(
      {kube::NamespaceOf(attribution), kube::StringAt(workload, "/name")});
  const std::string uid = kube::StringAt(workload, "/uid");
  if (!object) {
    target.reason = "WorkloadNotFound";
    target.message =
        fmt::format("{} does not exist; nothing can be read of it.", WorkloadName(attribution));
  } else if (kube::UidOf(*object) != uid) {
    target.reason = "WorkloadReplaced";
    target.message =
        fmt::format("{} exists with UID {}, not with UID {}: it was deleted and made again.",
                    WorkloadName(attribution), kube::UidOf(*object), uid);
  } else {
    target.object = object;
  }
  return target;
}

kube::Result AttributionReconciler::Collect(Pass& pass) {
  const Target target = FindTarget(pass.attribution);
  if (!pass.active) {
    if (!target.object) {
      // Judged before a restart, and gone since: what is written is the answer.
      if (Field(pass.attribution, "/status/verdict").is_object()) {
        return Settle(pass, StatusOf(pass.attribution));
      }
      return JudgeAbsent(pass, target);
    }
    if (OriginOf(pass.attribution) != "Operator" && !HasRoomForRequest()) {
      Json status = StatusOf(pass.attribution);
      if (SetCondition(status["conditions"],
                       {"Ready", "False", kWaiting,
                        fmt::format("{} requests are being read; this one waits.", kMaxRequests),
                        kube::GenerationOf(pass.attribution)},
                       pass.now)) {
        WriteStatus(pass, std::move(status));
      }
      return {.requeue_after = kRequestRetry};
    }
    Start(pass, target);
    if (!pass.active) return {.requeue_after = kRulesetRetry};
  }
  Active& active = *pass.active;
  Feed(pass, target);
  if (!active.sealed) {
    // A request ends by itself.
    const kube::Result later{.requeue_after = active.by_request
                                                  ? std::optional<milliseconds>(kRequestLook)
                                                  : std::nullopt};
    const Json* const ready = FindCondition(pass.attribution, "Ready");
    if (ready != nullptr && kube::StringAt(*ready, "/reason") != kWaiting) return later;
    const auto slow_at = *active.started + kSlowStart;
    if (pass.now < slow_at)
      return {.requeue_after = std::chrono::ceil<milliseconds>(slow_at - pass.now)};
    Json status = StatusOf(pass.attribution);
    SetCondition(status["conditions"],
                 {"Ready", "False", "Collecting",
                  "Something of the workload has failed; evidence is read while it goes on.",
                  kube::GenerationOf(pass.attribution)},
                 pass.now);
    WriteStatus(pass, std::move(status));
    return later;
  }
  const auto limit = *active.sealed + options_.drain_limit;
  if (!active.session->Drained() && pass.now < limit) {
    return {.requeue_after = std::chrono::ceil<milliseconds>(limit - pass.now)};
  }
  return Judge(pass);
}

void AttributionReconciler::Start(Pass& pass, const Target& target) {
  auto active = std::make_shared<Active>();
  active->uid = kube::UidOf(pass.attribution);
  active->started = pass.now;
  active->by_request = OriginOf(pass.attribution) != "Operator";
  const auto applied = options_.policy_for(*target.kind, *target.object);
  const AppliedPolicy policy = applied.value_or(in_.policies.Default());
  active->policy = policy.name;
  active->settings = SettingsOf(policy.spec);
  if (const Json& wanted = Field(pass.attribution, "/spec/rulesets");
      wanted.is_array() && !wanted.empty()) {
    active->settings.rulesets = wanted.get<std::vector<std::string>>();
  }
  active->rules = in_.rulesets.Merge(active->settings.rulesets);
  if (!active->rules.pending.empty() && pass.now - started_ < kRulesetWait) return;

  const Json& workload = Field(pass.attribution, "/spec/workload");
  const SessionSubject subject{.name_space = kube::NamespaceOf(pass.attribution),
                               .kind = kube::StringAt(workload, "/kind"),
                               .name = kube::StringAt(workload, "/name"),
                               .uid = kube::StringAt(workload, "/uid"),
                               .attempt_id = kube::StringAt(workload, "/attemptID"),
                               .operator_origin = OriginOf(pass.attribution) == "Operator",
                               .remote = target.kind->CurrentAttempt(*target.object).remote};
  active->session =
      in_.collector.Start(subject, active->settings.session, active->rules.ruleset,
                          [notify = notify_, request = pass.request, news = active->news] {
                            news->store(true);
                            notify(request);
                          });
  pass.active = active;
  const std::lock_guard lock(mutex_);
  active_[pass.request] = std::move(active);
}

void AttributionReconciler::Feed(Pass& pass, const Target& target) {
  Active& active = *pass.active;
  if (active.sealed) return;
  Attempt attempt;
  bool current = false;
  if (target.object) {
    attempt = target.kind->CurrentAttempt(*target.object);
    const std::string wanted = kube::StringAt(pass.attribution, "/spec/workload/attemptID");
    current = wanted.empty() || wanted == attempt.id;
  }
  // Another attempt has begun, or the workload is gone: what was read until now is what there is.
  if (current || (target.object && !active.fed)) {
    std::vector<kube::ObjectPtr> pods;
    if (current) pods = target.kind->Pods(*target.object);
    AddPods(
        pods,
        [this](const std::string& name) {
          return in_.nodes.Get({{}, name});
        },
        active.where);
    engine::Workload workload{
        .kind = kube::StringAt(pass.attribution, "/spec/workload/kind"),
        .name_space = kube::NamespaceOf(pass.attribution),
        .name = kube::StringAt(pass.attribution, "/spec/workload/name"),
        .outcome = current ? attempt.outcome : engine::Outcome::kUnknown,
        .start = engine::ParseRfc3339(kube::StringAt(pass.attribution, "/spec/window/startTime")),
        .end = engine::ParseRfc3339(kube::StringAt(pass.attribution, "/spec/window/endTime")),
        .nodes = {active.where.nodes.begin(), active.where.nodes.end()},
        .stays = StaysOf(active.where),
        .gpus = {},
        .nodes_with_known_gpus = {},
        .exclusive_nodes = {active.where.exclusive.begin(), active.where.exclusive.end()}};
    if (!workload.start && current) workload.start = engine::ParseRfc3339(attempt.start_time);
    if (!workload.end && current) workload.end = engine::ParseRfc3339(attempt.end_time);
    active.session->Update(workload, pods, target.kind->StatusLines(*target.object));
    active.fed = true;
  }
  const auto window_end =
      engine::ParseRfc3339(kube::StringAt(pass.attribution, "/spec/window/endTime"));
  if (!current || attempt.terminal || (window_end && *window_end <= pass.now)) {
    active.session->Seal();
    active.sealed = pass.now;
  } else if (active.by_request && pass.now - *active.started >= kMaxRequestTime) {
    active.session->CutShort(
        "The workload goes on; a request is read for half an hour. Make another one, with a "
        "window that ends.");
    active.sealed = pass.now;
  }
}

bool AttributionReconciler::HasRoomForRequest() const {
  const std::lock_guard lock(mutex_);
  const auto requests = std::count_if(active_.begin(), active_.end(),
                                      [](const auto& entry) { return entry.second->by_request; });
  return static_cast<std::size_t>(requests) < kMaxRequests;
}

kube::Result AttributionReconciler::JudgeAbsent(Pass& pass, const Target& target) {
  if (target.kind == nullptr) return Stall(pass, target.reason, target.message);
  const auto wait = std::max(CreatedAt(pass.attribution, pass.now), started_) + kWorkloadWait;
  if (pass.now < wait) {
    Stall(pass, target.reason, target.message);
    return {.requeue_after = std::chrono::ceil<milliseconds>(wait - pass.now)};
  }
  const Json& workload = Field(pass.attribution, "/spec/workload");
  const AttributionSettings settings = SettingsFor(pass.attribution);
  const MergedRuleset rules = in_.rulesets.Merge(settings.rulesets);
  engine::Case nothing(rules.ruleset, {.kind = kube::StringAt(workload, "/kind"),
                                       .name_space = kube::NamespaceOf(pass.attribution),
                                       .name = kube::StringAt(workload, "/name")});
  nothing.AddGap({engine::Source::kAppLog,
                  kube::StringAt(workload, "/kind") + '/' + kube::StringAt(workload, "/name"),
                  target.reason, target.message});
  for (const engine::Gap& gap : RulesetGaps(rules)) nothing.AddGap(gap, std::nullopt);
  engine::Attribution answer = nothing.Attribute();
  answer.verdict.uncertainty = engine::Uncertainty::kNoEvidence;
  answer.verdict.message = target.message;
  answer.verdict.actions.clear();
  const std::string policy = kube::StringAt(pass.attribution, "/status/applied/policy");
  Json status = StatusFields(answer, {}, policy.empty() ? in_.policies.Default().name : policy,
                             rules.applied);
  status["verdict"]["revision"] = 1;
  const Json& before = Field(pass.attribution, "/status");
  for (const char* key : {"origin", "conditions"}) {
    if (before.contains(key)) status[key] = before[key];
  }
  return Settle(pass, std::move(status));
}

engine::Attribution AttributionReconciler::Answer(const Pass& pass) const {
  engine::Attribution answer = pass.active->session->Attribute(ReadHistory(pass));
  for (engine::Gap& gap : RulesetGaps(pass.active->rules)) answer.gaps.push_back(std::move(gap));
  return answer;
}

kube::Result AttributionReconciler::Judge(Pass& pass) {
  Active& active = *pass.active;
  Json status = StatusOf(pass.attribution);
  const Json before = Field(status, "/verdict");
  bool changed = false;
  if (active.news->exchange(false) || !active.unchanged) {
    const engine::Attribution fresh = Answer(pass);
    if (active.wrote_verdict || MayReplace(status, fresh)) {
      active.wrote_verdict = true;
      active.node_fault = fresh.verdict.node_fault;
      Json fields =
          StatusFields(fresh, active.session->placement(), active.policy, active.rules.applied);
      changed = !SameVerdict(before, fields["verdict"]);
      fields["verdict"]["revision"] = IntegerField(before, "/revision", 0) + (changed ? 1 : 0);
      for (const char* key : {"origin", "conditions"}) {
        if (status.contains(key)) fields[key] = status[key];
      }
      status = std::move(fields);
    } else {
      // The stronger answer of an earlier session stands, and so does what it calls for.
      active.node_fault = true;
    }
    if (changed || !active.unchanged) active.unchanged = pass.now;
    active.answer = status;
  } else {
    status = active.answer;
  }
  const auto settle_at = *active.unchanged + active.settings.settle;
  if (pass.now >= settle_at) return Settle(pass, std::move(status));
  if (changed) {
    const std::int64_t generation = kube::GenerationOf(pass.attribution);
    Json& conditions = status["conditions"];
    const std::string message = fmt::format(
        "The verdict stands unless more evidence comes until {}.", FormatSeconds(settle_at));
    SetCondition(conditions, {"Ready", "False", "Settling", message, generation}, pass.now);
    SetCondition(conditions, {"Reconciling", "True", "Settling", message, generation}, pass.now);
    SetCondition(conditions, {"Stalled", "False", "Settling", "", generation}, pass.now);
    SetCondition(conditions, EvidenceCondition(status, generation), pass.now);
    const Json verdict = status["verdict"];
    WriteStatus(pass, std::move(status));
    active.answer = StatusOf(pass.attribution);
    Announce(pass, verdict);
    if (!before.is_object()) ObserveLatency(pass);
  }
  return {.requeue_after = std::chrono::ceil<milliseconds>(settle_at - pass.now)};
}

kube::Result AttributionReconciler::Settle(Pass& pass, Json status) {
  const std::int64_t generation = kube::GenerationOf(pass.attribution);
  const std::string culprit = kube::StringAt(status, "/verdict/culprit/node");
  // Before the status says Settled: a crash in between records it again, which changes nothing.
  if (const std::string fault = RecordFault(pass, status); !fault.empty()) {
    for (Json& node : status["nodes"]) {
      if (kube::StringAt(node, "/name") == culprit) node["fault"] = fault;
    }
  }
  status["verdict"]["settledTime"] = FormatSeconds(pass.now);
  Json& conditions = status["conditions"];
  SetCondition(conditions,
               {"Ready", "True", "Settled", kube::StringAt(status, "/verdict/message"), generation},
               pass.now);
  SetCondition(conditions, {"Reconciling", "False", "Settled", "", generation}, pass.now);
  SetCondition(conditions, {"Stalled", "False", "Settled", "", generation}, pass.now);
  SetCondition(conditions, EvidenceCondition(status, generation), pass.now);
  WriteLabel(pass, status);
  const bool announced = pass.active && pass.active->announced;
  const Json verdict = status["verdict"];
  WriteStatus(pass, std::move(status));
  if (pass.active) pass.active->answer = StatusOf(pass.attribution);
  if (!announced) Announce(pass, verdict);
  return AfterSettled(pass);
}

kube::Result AttributionReconciler::AfterSettled(Pass& pass) {
  const auto retain = Retain(pass);
  if (!pass.active) return {.requeue_after = retain};
  Active& active = *pass.active;
  const auto settled =
      engine::ParseRfc3339(kube::StringAt(pass.attribution, "/status/verdict/settledTime"));
  const auto revisable_until = settled.value_or(pass.now) + active.settings.settle;
  if (active.news->load() && active.session && active.sealed) {
    const engine::Attribution fresh = Answer(pass);
    const Json fields =
        StatusFields(fresh, active.session->placement(), active.policy, active.rules.applied);
    const Json& written = Field(pass.attribution, "/status/verdict");
    if (!SameVerdict(written, fields["verdict"]) &&
        (active.wrote_verdict || MayReplace(StatusOf(pass.attribution), fresh))) {
      return Judge(pass);
    }
    active.news->store(false);
  }
  if (pass.now >= revisable_until) {
    Drop(pass.request);
    return {.requeue_after = retain};
  }
  const auto left = std::chrono::ceil<milliseconds>(revisable_until - pass.now);
  return {.requeue_after = retain ? std::min(*retain, left) : left};
}

kube::Result AttributionReconciler::Stall(Pass& pass, const std::string& reason,
                                          const std::string& message) {
  Json status = StatusOf(pass.attribution);
  const std::int64_t generation = kube::GenerationOf(pass.attribution);
  Json& conditions = status["conditions"];
  bool changed =
      SetCondition(conditions, {"Ready", "False", reason, message, generation}, pass.now);
  changed = SetCondition(conditions, {"Reconciling", "False", reason, "", generation}, pass.now) ||
            changed;
  changed = SetCondition(conditions, {"Stalled", "True", reason, message, generation}, pass.now) ||
            changed;
  if (changed) {
    WriteStatus(pass, std::move(status));
    in_.events.Event(Regarding(kAttributions, pass.attribution), kube::EventType::kWarning,
                     "Stalled", "Attribute", message);
  }
  return {.requeue_after = Retain(pass)};
}

engine::History AttributionReconciler::ReadHistory(const Pass& pass) const {
  const AttributionSettings settings = SettingsFor(pass.attribution);
  engine::History history = HistoryOf(
      in_.attributions.ByIndex(kProvenRoots, {}), in_.faults.List(), kube::UidOf(pass.attribution),
      [&](const std::string& name_space) {
        return TenantOf(name_space, settings.tenant_namespace_label);
      },
      pass.now, kHistoryHorizon);
  history.activities = activities_.Since(pass.now - kHistoryHorizon);
  return history;
}

std::string AttributionReconciler::TenantOf(const std::string& name_space,
                                            const std::string& label) const {
  if (label.empty() || in_.namespaces == nullptr) return name_space;
  const kube::ObjectPtr found = in_.namespaces->Get({{}, name_space});
  const std::string tenant = found ? kube::LabelOf(*found, label) : std::string();
  // A namespace without the label is a tenant of its own, told apart from every label's value.
  return tenant.empty() ? "namespace/" + name_space : tenant;
}

std::string AttributionReconciler::RecordFault(const Pass& pass, const Json& status) {
  const Json& verdict = Field(status, "/verdict");
  const std::string node = kube::StringAt(verdict, "/culprit/node");
  if (kube::StringAt(status, "/origin") != "Operator" || node.empty() ||
      kube::StringAt(verdict, "/result") != "Failed" ||
      kube::StringAt(verdict, "/evidenceLevel") != "Established" ||
      kube::StringAt(status, "/root/trust") != "Node") {
    return {};
  }
  if (pass.active && !pass.active->node_fault) return {};
  const AttributionSettings settings = SettingsFor(pass.attribution);
  if (!settings.node_faults) return {};
  const std::string symptom = kube::StringAt(verdict, "/symptom");
  const MergedRuleset rules =
      pass.active ? pass.active->rules : in_.rulesets.Merge(settings.rulesets);
  const engine::CatalogEntry* const entry = rules.ruleset->FindSymptom(symptom);
  const auto time = engine::ParseRfc3339(kube::StringAt(status, "/root/time"));
  if (entry == nullptr || !entry->taint || !time) return {};
  FaultReport report{.node = node,
                     .symptom = symptom,
                     .device_type = entry->scope,
                     .gpu_uuid = kube::StringAt(verdict, "/culprit/gpuUUID"),
                     .pci_address = kube::StringAt(verdict, "/culprit/pciAddress"),
                     .level = engine::EvidenceLevel::kEstablished,
                     .boot_id = {},
                     .time = *time,
                     .name_space = kube::NamespaceOf(pass.attribution),
                     .name = kube::NameOf(pass.attribution),
                     .uid = kube::UidOf(pass.attribution)};
  const auto source = engine::ParseSource(kube::StringAt(status, "/root/source"));
  if (pass.active && source) report.boot_id = pass.active->session->BootId(node, *source, *time);
  std::string fault = ReportNodeFault(in_.client, report, [&](const std::string& name_space) {
    return TenantOf(name_space, settings.tenant_namespace_label);
  });
  if (fault.empty()) {
    in_.events.Event(Regarding(kAttributions, pass.attribution), kube::EventType::kWarning,
                     "NameTaken", "ReportNodeFault",
                     fmt::format("NodeFault {} is about something else than {} of node {}; the "
                                 "fault is not recorded. Find out who made it, then delete it.",
                                 NodeFaultName(report), symptom, node));
  }
  return fault;
}

void AttributionReconciler::WriteLabel(Pass& pass, const Json& status) {
  const std::string domain = Lower(kube::StringAt(status, "/verdict/domain"));
  if (domain.empty() || kube::LabelOf(pass.attribution, kDomainLabel) == domain) return;
  const std::string before = kube::ResourceVersionOf(pass.attribution);
  pass.attribution = in_.client.Patch(
      kAttributions, pass.request, {{"metadata", {{"labels", {{kDomainLabel, domain}}}}}},
      {.type = kube::PatchType::kMerge, .subresource = {}, .field_manager = {}}, pass.call);
  Remember(pass, before);
}

void AttributionReconciler::WriteStatus(Pass& pass, Json status) {
  status["observedGeneration"] = kube::GenerationOf(pass.attribution);
  FitStatus(status, kMaxAttributionBytes - kReservedBytes);
  Json object = pass.attribution;
  object["apiVersion"] = kAttributions.ApiVersion();
  object["kind"] = kAttributions.kind;
  object["status"] = std::move(status);
  const std::string before = kube::ResourceVersionOf(pass.attribution);
  pass.attribution = in_.client.UpdateStatus(kAttributions, object, pass.call);
  Remember(pass, before);
}

void AttributionReconciler::Remember(Pass& pass, const std::string& version_before) {
  if (!pass.active) return;
  pass.active->superseded.insert(version_before);
  pass.active->written = pass.attribution;
}

void AttributionReconciler::Announce(const Pass& pass, const Json& verdict) {
  if (pass.active) pass.active->announced = true;
  AnnounceVerdict(in_.events, in_.metrics, pass.attribution, verdict);
}

void AttributionReconciler::ObserveLatency(const Pass& pass) {
  const auto first = pass.active->session->first_failure();
  if (!first) return;
  in_.metrics.Observe("attribution_verdict_latency_seconds",
                      "From the first failed container to the verdict in the status; what is "
                      "waited on purpose afterwards (settleSeconds) is not in it.",
                      {}, std::chrono::duration<double>(options_.now() - *first).count(),
                      {0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 30, 60, 120, 300});
}

AttributionSettings AttributionReconciler::SettingsFor(const Json& attribution) const {
  const std::shared_ptr<Active> active = Peek(kube::KeyOf(attribution));
  if (active) return active->settings;
  const std::string name = kube::StringAt(attribution, "/status/applied/policy");
  AttributionSettings settings =
      SettingsOf(in_.policies.Find(name).value_or(in_.policies.Default()).spec);
  if (const Json& wanted = Field(attribution, "/spec/rulesets");
      wanted.is_array() && !wanted.empty()) {
    settings.rulesets = wanted.get<std::vector<std::string>>();
  }
  return settings;
}

std::shared_ptr<AttributionReconciler::Active> AttributionReconciler::Peek(
    const kube::Request& request) const {
  const std::lock_guard lock(mutex_);
  const auto found = active_.find(request);
  return found == active_.end() ? nullptr : found->second;
}

std::optional<milliseconds> AttributionReconciler::Retain(const Pass& pass) {
  return RetireOld({in_.client, in_.attributions, in_.metrics}, pass.attribution,
                   SettingsFor(pass.attribution), pass.now, pass.call);
}

std::unique_ptr<kube::Reconciler> AddAttributionController(kube::Manager& manager,
                                                           kube::Informer& pods,
                                                           AttributionInputs inputs,
                                                           AttributionOptions options) {
  const std::vector<WorkloadKind*> kinds = options.kinds;
  auto reconciler = std::make_unique<AttributionReconciler>(inputs, std::move(options));
  kube::Controller& controller = manager.AddController(
      {.name = "attribution", .max_concurrent_reconciles = kWorkers, .queue = {}}, *reconciler);
  reconciler->SetNotify(
      [&controller](const kube::Request& request) { controller.Enqueue(request); });
  controller.Watch(inputs.attributions);
  kube::Informer& attributions = inputs.attributions;
  const auto of_uid = [&attributions](const std::string& uid) {
    std::vector<kube::Request> requests;
    for (const kube::ObjectPtr& attribution : attributions.ByIndex(kByWorkloadUid, uid)) {
      // Settled ones have nothing to gain from their workload.
      if (!IsSettled(*attribution)) requests.push_back(kube::KeyOf(*attribution));
    }
    return requests;
  };
  for (WorkloadKind* kind : kinds) {
    controller.Watch(kind->informer(),
                     [of_uid](const Json& workload) { return of_uid(kube::UidOf(workload)); });
    controller.Watch(pods, [of_uid, kind](const Json& pod) {
      std::vector<kube::Request> requests;
      for (const kube::ObjectKey& owner : kind->OwnersOf(pod)) {
        const kube::ObjectPtr workload = kind->informer().Get(owner);
        if (!workload) continue;
        for (kube::Request& request : of_uid(kube::UidOf(*workload))) {
          requests.push_back(std::move(request));
        }
      }
      return requests;
    });
  }
  AttributionReconciler& attribution = *reconciler;
  const auto now = attribution.clock();
  inputs.nodes.AddEventHandler(
      {.on_add = [&attribution, now](
                     const kube::ObjectPtr& node,
                     bool) { attribution.activities().Observe(nullptr, *node, now()); },
       .on_update =
           [&attribution, now](const kube::ObjectPtr& before, const kube::ObjectPtr& after) {
             attribution.activities().Observe(before.get(), *after, now());
           },
       .on_delete = nullptr});
  return reconciler;
}

}  // namespace controllers
