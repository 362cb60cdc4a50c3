// SPDX-License-Identifier: Apache-2.0
// Read, decide, write the node, write the faults. The node is written first: its annotation names
// the faults that the taint is for, so whatever a crash leaves undone is recognised and finished.
// The one exception is a taint that a person removed: that is recorded first, so that nothing can
// make it be forgotten.
#include "controllers/nodefault/node_fault_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "controllers/evidence/node_conditions.h"
#include "controllers/nodefault/action_budget.h"
#include "controllers/nodefault/node_action_policy_controller.h"
#include "controllers/nodefault/node_pool.h"
#include "controllers/status/conditions.h"
#include "controllers/status/field.h"
#include "controllers/status/resources.h"

namespace controllers {
namespace {

using kube::Json;
using Kind = NodeActionDecision::Kind;

constexpr std::chrono::minutes kForbiddenRetry{1};

std::string NodeOf(const Json& fault) { return kube::StringAt(fault, "/spec/nodeName"); }

std::optional<engine::EvidenceLevel> LevelOf(const Json& fault) {
  const std::string level = kube::StringAt(fault, "/status/evidenceLevel");
  if (level == "Established") return engine::EvidenceLevel::kEstablished;
  if (level == "Supported") return engine::EvidenceLevel::kSupported;
  if (level == "Hypothesis") return engine::EvidenceLevel::kHypothesis;
  return std::nullopt;
}

std::optional<engine::Time> LastTimeOf(const Json& fault) {
  return engine::ParseRfc3339(kube::StringAt(fault, "/status/lastTime"));
}

TaintState StateOf(const Json& fault, const std::vector<std::string>& taint_owners) {
  if (ConditionReason(fault, "Tainted") == "Released") return TaintState::kReleased;
  const bool named =
      std::binary_search(taint_owners.begin(), taint_owners.end(), kube::NameOf(fault));
  if (named || ConditionStatus(fault, "Tainted") == "True") return TaintState::kTainted;
  if (ConditionReason(fault, "Tainted") == "ConditionOnly") return TaintState::kConditionOnly;
  return TaintState::kNone;
}

// Nodes, this fault's own among them, with a fault of its symptom near its time.
int NodesWithSymptom(const std::vector<Json>& faults, const Json& fault) {
  const auto time = LastTimeOf(fault);
  std::set<std::string> nodes{NodeOf(fault)};
  for (const Json& other : faults) {
    const auto other_time = LastTimeOf(other);
    if (!time || !other_time) continue;
    if (kube::StringAt(other, "/spec/symptom") == kube::StringAt(fault, "/spec/symptom") &&
        std::chrono::abs(*other_time - *time) <= kCorrelationWindow) {
      nodes.insert(NodeOf(other));
    }
  }
  return static_cast<int>(nodes.size());
}

// Without managed fields a node's patch needs its taints as a whole: the list is atomic.
Json TaintsWithout(const Json& node) {
  Json taints = Json::array();
  for (const Json& taint : Field(node, "/spec/taints")) {
    if (kube::StringAt(taint, "/key") != kTaintKey) taints.push_back(taint);
  }
  return taints;
}

bool HasConditionTrue(const Json& node) { return ConditionStatus(node, kConditionType) == "True"; }

std::string DescribeFault(const Json& fault) {
  std::string device = kube::StringAt(fault, "/spec/device/uuid");
  if (device.empty()) device = kube::StringAt(fault, "/spec/device/pciAddress");
  return fmt::format("{}: {}{}{}", kube::NameOf(fault), kube::StringAt(fault, "/spec/symptom"),
                     device.empty() ? "" : " on ", device);
}

// Whether an attribution's verdict is the one that the fault was recorded for.
bool StillReports(const Json& attribution, const Json& fault) {
  const Json& verdict = Field(attribution, "/status/verdict");
  return kube::StringAt(verdict, "/result") == "Failed" &&
         kube::StringAt(verdict, "/evidenceLevel") == "Established" &&
         kube::StringAt(verdict, "/symptom") == kube::StringAt(fault, "/spec/symptom") &&
         kube::StringAt(verdict, "/culprit/node") == kube::StringAt(fault, "/spec/nodeName");
}

}  // namespace

struct NodeFaultReconciler::World {
  engine::Time now;
  std::string node_name;
  std::optional<Json> node;  // live; unset: there is none
  std::vector<Json> faults;  // all of the cluster, live
  std::vector<std::string> taint_owners;
  bool taint_present = false;
  bool taint_is_ours = false;  // there, or about to be, for a fault that the annotation names
  NodeActionChoice choice;
  std::optional<PoolStanding> pool;  // read when a decision needs it
  std::int64_t acted_last_hour = 0;  // read with the pool
};

NodeFaultReconciler::NodeFaultReconciler(kube::Client& client, kube::Informer& policies,
                                         kube::EventRecorder& events,
                                         kube::MetricsRegistry& metrics, NodeFaultOptions options)
    : client_(client),
      policies_(policies),
      events_(events),
      metrics_(metrics),
      options_(std::move(options)) {}

kube::Result NodeFaultReconciler::Reconcile(const kube::Request& request, std::stop_token stop) {
  const kube::CallOptions call{.stop = stop};
  World world = Read(request.name, call);
  std::vector<Judged> judged;
  for (const Json& fault : world.faults) {
    if (NodeOf(fault) != request.name || kube::IsBeingDeleted(fault)) continue;
    NodeActionFacts facts = FactsOf(fault, world, call);
    NodeActionDecision decision = DecideNodeAction(facts);
    // The next fault of this node shares the taint.
    world.taint_is_ours = world.taint_is_ours || decision.taint;
    judged.push_back({fault, std::move(facts), std::move(decision)});
  }
  for (Judged& one : judged) {
    if (one.decision.kind == Kind::kRelease && !one.facts.taint_present) {
      WriteFaultStatus(world, one, call);
    }
  }
  kube::Result result;
  const auto again_after = [&result](std::chrono::milliseconds delay) {
    result.requeue_after = std::min(result.requeue_after.value_or(delay), delay);
  };
  if (!WriteNode(world, judged, call)) again_after(kForbiddenRetry);
  for (Judged& one : judged) {
    WriteFaultStatus(world, one, call);
    if (one.decision.kind == Kind::kWait) again_after(one.decision.retry_after);
  }
  return result;
}

bool NodeFaultReconciler::WriteNode(const World& world, std::vector<Judged>& judged,
                                    const kube::CallOptions& call) {
  if (!world.node) return true;
  try {
    WriteTaint(world, judged, call);
  } catch (const kube::ApiError& error) {
    if (!error.IsForbidden()) throw;
    for (Judged& one : judged) {
      if (one.decision.kind != Kind::kAct && one.decision.kind != Kind::kRelease) continue;
      const bool still = one.facts.state == TaintState::kTainted && one.facts.taint_present;
      one.decision = {
          .kind = Kind::kRefuse, .taint = still, .reason = "Forbidden", .message = error.what()};
    }
    return false;
  }
  try {
    WriteCondition(world, judged, call);
  } catch (const kube::ApiError& error) {
    if (!error.IsForbidden()) throw;
    for (Judged& one : judged) {
      if (one.decision.kind == Kind::kRefuse || one.decision.kind == Kind::kWait) continue;
      one.decision.message += fmt::format(" The condition could not be written: {}", error.what());
      events_.Event(Regarding(kNodeFaults, one.fault), kube::EventType::kWarning, "Forbidden",
                    "SetCondition", error.what());
    }
    return false;
  }
  return true;
}

NodeFaultReconciler::World NodeFaultReconciler::Read(const std::string& node_name,
                                                     const kube::CallOptions& call) {
  World world;
  world.now = options_.now();
  world.node_name = node_name;
  client_.List(
      kNodeFaults,
      {.name_space = {}, .label_selector = {}, .field_selector = {}, .resource_version = {}},
      [&](Json fault) { world.faults.push_back(std::move(fault)); }, call);
  std::sort(world.faults.begin(), world.faults.end(),
            [](const Json& a, const Json& b) { return kube::NameOf(a) < kube::NameOf(b); });
  try {
    world.node = client_.Get(kNodes, {{}, node_name}, call);
  } catch (const kube::ApiError& error) {
    if (!error.IsNotFound()) throw;
    return world;
  }
  world.taint_present = HasTaint(*world.node);
  world.taint_owners = TaintOwners(*world.node);
  world.taint_is_ours = world.taint_present && !world.taint_owners.empty();
  world.choice = ChooseNodeActionPolicy(policies_.List(), *world.node);
  return world;
}

void NodeFaultReconciler::ReadPool(World& world, const kube::CallOptions& call) {
  if (world.pool) return;
  std::vector<Json> nodes;
  client_.List(
      kNodes,
      {.name_space = {},
       .label_selector = world.choice.settings->node_selector.ToQuery(),
       .field_selector = {},
       .resource_version = {}},
      [&](Json node) { nodes.push_back(std::move(node)); }, call);
  world.pool = StandingOf(nodes, world.node_name);
  world.acted_last_hour = ActedLastHour(world.faults, *world.pool, nodes, world.now);
}

NodeActionFacts NodeFaultReconciler::FactsOf(const Json& fault, World& world,
                                             const kube::CallOptions& call) {
  NodeActionFacts facts;
  facts.now = world.now;
  facts.fault = kube::NameOf(fault);
  facts.node = world.node_name;
  facts.symptom = kube::StringAt(fault, "/spec/symptom");
  facts.level = LevelOf(fault);
  facts.last_time = LastTimeOf(fault);
  facts.boot_id = kube::StringAt(fault, "/status/bootID");
  facts.state = StateOf(fault, world.taint_owners);
  facts.release_asked = Field(fault, "/spec/release").is_object();
  facts.release_reason = kube::StringAt(fault, "/spec/release/reason");
  facts.nodes_with_symptom = NodesWithSymptom(world.faults, fault);
  facts.node_exists = world.node.has_value();
  if (world.node) {
    facts.node_boot_id = BootIdOf(*world.node);
    facts.opted_out = kube::LabelOf(*world.node, kOptOutLabel) == kOptOutValue;
  }
  facts.taint_present = world.taint_present;
  facts.taint_is_ours = world.taint_is_ours;
  facts.policy_problem = world.choice.problem;
  facts.action_condition = world.choice.settings ? world.choice.settings->condition
                                                 : world.node && HasConditionTrue(*world.node);
  // Nothing below is consulted for a fault that is done with.
  if (!world.choice.settings || facts.state != TaintState::kNone || facts.release_asked) {
    return facts;
  }
  const NodeActionSettings& settings = *world.choice.settings;
  facts.policy = settings.name;
  facts.enforce = settings.enforce;
  facts.may_act = options_.may_act;
  facts.action_taint = settings.taint;
  facts.min_level = settings.min_level;
  facts.symptom_allowed =
      settings.symptoms.empty() || std::find(settings.symptoms.begin(), settings.symptoms.end(),
                                             facts.symptom) != settings.symptoms.end();
  facts.action_deadline = settings.action_deadline;
  facts.max_per_hour = settings.max_per_hour;
  facts.report = ReportOf(fault, call);
  ReadPool(world, call);
  facts.pool_size = static_cast<std::int64_t>(world.pool->nodes.size());
  facts.unavailable_others =
      std::count_if(world.pool->unavailable.begin(), world.pool->unavailable.end(),
                    [&](const std::string& name) { return name != world.node_name; });
  facts.acted_last_hour = world.acted_last_hour;
  facts.max_unavailable =
      ResolveMaxUnavailable(settings.max_unavailable, facts.pool_size).value_or(0);
  return facts;
}

// Read live: late evidence may have revised a verdict since.
NodeActionFacts::Report NodeFaultReconciler::ReportOf(const Json& fault,
                                                      const kube::CallOptions& call) {
  using Report = NodeActionFacts::Report;
  const Json& attributions = Field(fault, "/status/attributions");
  if (!attributions.is_array() || attributions.empty()) return Report::kSettling;
  for (auto one = attributions.rbegin(); one != attributions.rend(); ++one) {
    std::optional<Json> attribution;
    try {
      attribution = client_.Get(
          kAttributions, {kube::StringAt(*one, "/namespace"), kube::StringAt(*one, "/name")}, call);
    } catch (const kube::ApiError& error) {
      if (!error.IsNotFound()) throw;
    }
    // A fault is only reported at the end of the settle time, so one whose Attribution is gone by
    // now (retention, a deleted namespace) had settled, and said so to the end.
    if (!attribution || kube::UidOf(*attribution) != kube::StringAt(*one, "/uid")) {
      return Report::kStands;
    }
    if (ConditionStatus(*attribution, "Ready") != "True") return Report::kSettling;
    if (StillReports(*attribution, fault)) return Report::kStands;
  }
  return Report::kWithdrawn;
}

void NodeFaultReconciler::WriteTaint(const World& world, const std::vector<Judged>& judged,
                                     const kube::CallOptions& call) {
  std::set<std::string> owners;
  for (const Judged& one : judged) {
    if (one.decision.taint) owners.insert(one.facts.fault);
  }
  const std::vector<std::string>& owners_before = world.taint_owners;
  const bool present = world.taint_present;
  // A taint without an annotation is somebody else's, unless a fault's own record claims it.
  const bool ours =
      !owners_before.empty() || std::any_of(judged.begin(), judged.end(), [](const Judged& one) {
        return one.facts.state == TaintState::kTainted;
      });
  const bool add = !present && !owners.empty();
  const bool remove = present && owners.empty() && ours;
  const bool same_owners =
      std::equal(owners.begin(), owners.end(), owners_before.begin(), owners_before.end());
  if (!add && !remove && same_owners) return;

  Json annotation;  // null removes it
  if (!owners.empty()) annotation = fmt::format("{}", fmt::join(owners, ","));
  Json patch = {{"metadata",
                 {{"resourceVersion", kube::ResourceVersionOf(*world.node)},
                  {"annotations", {{kTaintAnnotation, std::move(annotation)}}}}}};
  if (add || remove) {
    Json taints = TaintsWithout(*world.node);
    if (add) {
      taints.push_back({{"key", kTaintKey},
                        {"value", kTaintValue},
                        {"effect", world.choice.settings ? world.choice.settings->taint_effect
                                                         : std::string("NoSchedule")}});
    }
    patch["spec"] = {{"taints", std::move(taints)}};
  }
  client_.Patch(kNodes, kube::KeyOf(*world.node), patch,
                {.type = kube::PatchType::kMerge, .subresource = {}, .field_manager = {}}, call);
}

void NodeFaultReconciler::WriteCondition(const World& world, const std::vector<Judged>& judged,
                                         const kube::CallOptions& call) {
  std::string message;
  for (const Judged& one : judged) {
    if (!one.decision.condition) continue;
    message += (message.empty() ? "" : "; ") + DescribeFault(one.fault);
  }
  const bool wanted = !message.empty();
  const Json* const before = FindCondition(*world.node, kConditionType);
  if (before == nullptr && !wanted) return;
  const std::string status = wanted ? "True" : "False";
  if (!wanted) message = "No NodeFault asks for this node to be kept free.";
  message = CutText(std::move(message), kMaxConditionMessage);
  const std::string now = FormatSeconds(world.now);
  std::string transition = now;
  if (before != nullptr && kube::StringAt(*before, "/status") == status) {
    if (kube::StringAt(*before, "/message") == message) return;
    transition = kube::StringAt(*before, "/lastTransitionTime");
  }
  client_.Patch(
      kNodes, kube::KeyOf(*world.node),
      {{"status",
        {{"conditions", Json::array({{{"type", kConditionType},
                                      {"status", status},
                                      {"reason", wanted ? "HardwareFault" : "NoFault"},
                                      {"message", message},
                                      {"lastHeartbeatTime", now},
                                      {"lastTransitionTime", transition}}})}}}},
      {.type = kube::PatchType::kStrategicMerge, .subresource = "status", .field_manager = {}},
      call);
}

void NodeFaultReconciler::WriteFaultStatus(const World& world, Judged& judged,
                                           const kube::CallOptions& call) {
  if (std::exchange(judged.recorded, true)) return;
  // How and when it was released is said once and for all.
  if (judged.facts.state == TaintState::kReleased &&
      ConditionStatus(judged.fault, "Active") == "False") {
    return;
  }
  const NodeActionDecision& decision = judged.decision;
  const std::int64_t generation = kube::GenerationOf(judged.fault);
  const bool over = decision.kind == Kind::kRelease || decision.reason == "NodeGone";
  const bool tainted = decision.taint;
  Json conditions = judged.fault.value(Json::json_pointer("/status/conditions"), Json::array());
  const std::string reason_before = ConditionReason(judged.fault, "Tainted");
  bool changed = SetCondition(
      conditions,
      over ? Condition{"Active", "False", decision.reason, decision.message, generation}
           : Condition{"Active", "True", "Reported",
                       "An Attribution established the fault, and nobody has released it.",
                       generation},
      world.now);
  changed = SetCondition(conditions,
                         {"Tainted", tainted ? "True" : "False", decision.reason, decision.message,
                          generation},
                         world.now) ||
            changed;
  if (!changed) return;
  try {
    client_.Patch(
        kNodeFaults, kube::KeyOf(judged.fault),
        {{"metadata", {{"resourceVersion", kube::ResourceVersionOf(judged.fault)}}},
         {"status", {{"observedGeneration", generation}, {"conditions", std::move(conditions)}}}},
        {.type = kube::PatchType::kMerge, .subresource = "status", .field_manager = {}}, call);
  } catch (const kube::ApiError& error) {
    if (!error.IsNotFound()) throw;  // deleted meanwhile: its node is looked at again for that
    return;
  }
  // Settling is no refusal yet.
  if (reason_before != decision.reason && decision.reason != "Settling") Announce(world, judged);
}

void NodeFaultReconciler::Announce(const World& world, const Judged& judged) {
  const NodeActionDecision& decision = judged.decision;
  const bool acted = decision.kind == Kind::kAct || decision.kind == Kind::kKeep;
  const bool released = decision.kind == Kind::kRelease;
  const std::string event = acted      ? "HardwareFault"
                            : released ? "HardwareFaultReleased"
                                       : "NodeActionRefused";
  const std::string action =
      acted ? (decision.taint ? "Taint" : "SetCondition") : (released ? "Release" : "Refuse");
  const std::string note =
      fmt::format("{}. {}: {}", DescribeFault(judged.fault), decision.reason, decision.message);
  const auto type = released ? kube::EventType::kNormal : kube::EventType::kWarning;
  events_.Event(Regarding(kNodeFaults, judged.fault), type, event, action, note);
  if (world.node) events_.Event(Regarding(kNodes, *world.node), type, event, action, note);
  metrics_.Count("attribution_node_actions_total",
                 "Decisions about node faults, by what was done and why.",
                 {{"action", action}, {"reason", decision.reason}});
}

kube::Informer& NodeFaultInformer(kube::Cache& cache) {
  kube::Informer& faults = cache.InformerFor({.resource = kNodeFaults,
                                              .namespaces = {},
                                              .label_selector = {},
                                              .field_selector = {},
                                              .projection = nullptr});
  faults.AddIndex(kFaultsByNode,
                  [](const Json& fault) { return std::vector<std::string>{NodeOf(fault)}; });
  return faults;
}

std::unique_ptr<kube::Reconciler> AddNodeFaultController(kube::Manager& manager,
                                                         kube::Informer& nodes,
                                                         kube::Informer& attributions,
                                                         NodeFaultOptions options) {
  kube::Informer& faults = NodeFaultInformer(manager.cache());
  kube::Informer& policies = NodeActionPolicyInformer(manager.cache());
  auto reconciler = std::make_unique<NodeFaultReconciler>(
      manager.client(), policies, manager.events(), manager.metrics(), std::move(options));
  kube::Controller& controller =
      manager.AddController({.name = "node-fault", .queue = {}}, *reconciler);
  controller.Watch(
      faults,
      [](const Json& fault) {
        return std::vector<kube::Request>{{{}, NodeOf(fault)}};
      },
      [](const Json* before, const Json* after) {
        // Our own conditions are no news.
        return kube::GenerationChanged(before, after) ||
               Field(*before, "/status/attributions") != Field(*after, "/status/attributions");
      });
  controller.Watch(
      attributions,
      [](const Json& attribution) -> std::vector<kube::Request> {
        const std::string node = kube::StringAt(attribution, "/status/verdict/culprit/node");
        if (node.empty()) return {};
        return {{{}, node}};
      },
      [](const Json* before, const Json* after) {
        return before != nullptr && after != nullptr &&
               ConditionStatus(*before, "Ready") != ConditionStatus(*after, "Ready");
      });
  controller.Watch(
      nodes,
      [&faults](const Json& node) -> std::vector<kube::Request> {
        const std::string name = kube::NameOf(node);
        const bool concerned = !TaintOwners(node).empty() || HasConditionTrue(node) ||
                               !faults.ByIndex(kFaultsByNode, name).empty();
        if (!concerned) return {};
        return {{{}, name}};
      },
      [](const Json* before, const Json* after) {
        return before == nullptr || after == nullptr || !SameStanding(*before, *after);
      });
  controller.Watch(
      policies,
      [&faults](const Json&) {
        std::set<std::string> names;
        for (const kube::ObjectPtr& fault : faults.List()) names.insert(NodeOf(*fault));
        std::vector<kube::Request> requests;
        for (const std::string& name : names) requests.push_back({{}, name});
        return requests;
      },
      kube::GenerationChanged);
  return reconciler;
}

}  // namespace controllers
