// SPDX-License-Identifier: Apache-2.0
// A generation is checked once. What passes is in force at once; what doesn't leaves the last good
// generation in force, and after a restart that one is found in its ControllerRevision.
#include "controllers/ruleset/ruleset_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "controllers/ruleset/digest.h"
#include "controllers/status/conditions.h"
#include "controllers/status/field.h"
#include "controllers/status/resources.h"

namespace controllers {
namespace {

using kube::Json;

constexpr char kUidLabel[] = "attribution.dev/ruleset-uid";
constexpr std::size_t kKeptRevisions = 2;
constexpr std::size_t kMaxFailures = 32;
// The limits of status.failures in the CRD.
constexpr std::size_t kMaxPath = 256;
constexpr std::size_t kMaxRule = 253;
constexpr std::size_t kMaxMessage = 1024;

std::string RevisionName(const Json& ruleset) {
  const std::string identity =
      kube::UidOf(ruleset) + '/' + std::to_string(kube::GenerationOf(ruleset));
  return kube::NameOf(ruleset).substr(0, 200) + '-' + Sha256Hex(identity).substr(0, 10);
}

// Stored failures, and how many more there were is said by the condition.
Json FailuresOf(const RulesetCheck& check) {
  Json failures = Json::array();
  for (const RulesetFailure& failure : check.failures) {
    if (failures.size() == kMaxFailures) break;
    failures.push_back({{"path", CutText(failure.path, kMaxPath)},
                        {"rule", CutText(failure.rule, kMaxRule)},
                        {"message", CutText(failure.message, kMaxMessage)}});
  }
  return failures;
}

std::string FirstFailure(const RulesetCheck& check) {
  if (check.failures.empty()) return "the reason is not known";
  const RulesetFailure& first = check.failures.front();
  std::string text = first.path;
  if (!first.rule.empty()) text += fmt::format(" ({})", first.rule);
  text += ": " + first.message;
  if (check.failures.size() > 1) {
    text += fmt::format("; and {} more, see status.failures", check.failures.size() - 1);
  }
  return text;
}

std::int64_t RevisionOf(const Json& revision) { return IntegerField(revision, "/revision", 0); }

// Newest first.
std::vector<Json> ListRevisions(kube::Client& client, const std::string& name_space,
                                const Json& ruleset) {
  std::vector<Json> revisions;
  client.List(kControllerRevisions,
              {.name_space = name_space,
               .label_selector = fmt::format("{}={}", kUidLabel, kube::UidOf(ruleset)),
               .field_selector = {},
               .resource_version = {}},
              [&](Json revision) { revisions.push_back(std::move(revision)); });
  std::sort(revisions.begin(), revisions.end(),
            [](const Json& a, const Json& b) { return RevisionOf(a) > RevisionOf(b); });
  return revisions;
}

}  // namespace

RulesetReconciler::RulesetReconciler(kube::Client& client, kube::Informer& rulesets,
                                     RulesetStore& store, kube::EventRecorder& events,
                                     kube::MetricsRegistry& metrics, RulesetOptions options)
    : client_(client),
      rulesets_(rulesets),
      store_(store),
      events_(events),
      metrics_(metrics),
      options_(std::move(options)) {}

kube::Result RulesetReconciler::Reconcile(const kube::Request& request, std::stop_token) {
  const kube::ObjectPtr ruleset = rulesets_.Get(request);
  if (!ruleset || kube::IsBeingDeleted(*ruleset)) {
    store_.Remove(request.name);
    known_.erase(request.name);
    return {};
  }
  Known& known = known_[request.name];
  if (known.uid != kube::UidOf(*ruleset)) {
    store_.Remove(request.name);
    known = {.uid = kube::UidOf(*ruleset), .in_force = {}};
  }
  if (known.checked_generation == kube::GenerationOf(*ruleset)) return {};
  const RulesetCheck check = CheckRuleset(*ruleset);
  if (check.good()) {
    Accept(*ruleset, check, known);
  } else {
    Refuse(*ruleset, check, known);
  }
  WriteStatus(*ruleset, check, known);
  known.checked_generation = kube::GenerationOf(*ruleset);
  return {};
}

void RulesetReconciler::Accept(const Json& ruleset, const RulesetCheck& check, Known& known) {
  const std::int64_t generation = kube::GenerationOf(ruleset);
  const std::string digest = DigestOf(ruleset);
  store_.Put(kube::NameOf(ruleset), generation, DocumentOf(ruleset), digest);
  known.in_force = InForce{generation, digest, {}};
  known.in_force->revision = KeepRevision(ruleset);
  PruneRevisions(ruleset);
  events_.Event(Regarding(kAttributionRulesets, ruleset), kube::EventType::kNormal, "Accepted",
                "Check",
                fmt::format("Generation {} is in force: {} rules, {} tests passed.", generation,
                            check.rules, check.tests));
  metrics_.Count("attribution_ruleset_checks_total", "Generations of rulesets that were checked.",
                 {{"result", "accepted"}});
}

void RulesetReconciler::Refuse(const Json& ruleset, const RulesetCheck& check, Known& known) {
  if (!known.in_force) known.in_force = RestoreLastGood(ruleset);
  if (!known.in_force) store_.Remove(kube::NameOf(ruleset));
  events_.Event(Regarding(kAttributionRulesets, ruleset), kube::EventType::kWarning, "Refused",
                "Check",
                fmt::format("Generation {} is refused: {}.", kube::GenerationOf(ruleset),
                            FirstFailure(check)));
  metrics_.Count("attribution_ruleset_checks_total", "Generations of rulesets that were checked.",
                 {{"result", "refused"}});
}

std::string RulesetReconciler::KeepRevision(const Json& ruleset) {
  const std::string name = RevisionName(ruleset);
  const Json revision = {
      {"apiVersion", "apps/v1"},
      {"kind", "ControllerRevision"},
      {"metadata",
       {{"name", name},
        {"namespace", options_.operator_namespace},
        {"labels",
         {{"app.kubernetes.io/part-of", "attribution"}, {kUidLabel, kube::UidOf(ruleset)}}},
        {"ownerReferences", Json::array({{{"apiVersion", kAttributionRulesets.ApiVersion()},
                                          {"kind", kAttributionRulesets.kind},
                                          {"name", kube::NameOf(ruleset)},
                                          {"uid", kube::UidOf(ruleset)}}})}}},
      {"data", Json::parse(DocumentOf(ruleset).text)},
      {"revision", kube::GenerationOf(ruleset)}};
  try {
    client_.Create(kControllerRevisions, revision);
  } catch (const kube::ApiError& error) {
    // A generation's spec never changes, so what is there already is the same.
    if (error.IsAlreadyExists()) return name;
    if (!error.IsForbidden()) throw;
    events_.Event(Regarding(kAttributionRulesets, ruleset), kube::EventType::kWarning, "Forbidden",
                  "KeepRevision",
                  fmt::format("In force, but not kept for a restart: {}", error.what()));
    return {};
  }
  return name;
}

void RulesetReconciler::PruneRevisions(const Json& ruleset) {
  try {
    const std::vector<Json> revisions =
        ListRevisions(client_, options_.operator_namespace, ruleset);
    for (std::size_t i = kKeptRevisions; i < revisions.size(); ++i) {
      client_.Delete(kControllerRevisions, kube::KeyOf(revisions[i]));
    }
  } catch (const kube::ApiError& error) {
    if (error.IsNotFound()) return;  // the garbage collector was faster
    if (!error.IsForbidden()) throw;
    events_.Event(Regarding(kAttributionRulesets, ruleset), kube::EventType::kWarning, "Forbidden",
                  "PruneRevisions", error.what());
  }
}

std::optional<RulesetReconciler::InForce> RulesetReconciler::RestoreLastGood(const Json& ruleset) {
  std::vector<Json> revisions;
  try {
    revisions = ListRevisions(client_, options_.operator_namespace, ruleset);
  } catch (const kube::ApiError& error) {
    if (!error.IsForbidden()) throw;
    events_.Event(Regarding(kAttributionRulesets, ruleset), kube::EventType::kWarning, "Forbidden",
                  "RestoreRevision", error.what());
  }
  for (const Json& revision : revisions) {
    const auto data = revision.find("data");
    if (data == revision.end() || !CheckRuleset(*data).good()) continue;
    const InForce in_force{RevisionOf(revision), DigestOf(*data), kube::NameOf(revision)};
    store_.Put(kube::NameOf(ruleset), in_force.generation, DocumentOf(*data), in_force.digest);
    return in_force;
  }
  return std::nullopt;
}

void RulesetReconciler::WriteStatus(const Json& ruleset, const RulesetCheck& check,
                                    const Known& known) {
  const std::int64_t generation = kube::GenerationOf(ruleset);
  const engine::Time now = options_.now();
  Json conditions = ruleset.value(Json::json_pointer("/status/conditions"), Json::array());
  if (check.good()) {
    const std::string message =
        fmt::format("Generation {} is in force: {} rules.", generation, check.rules);
    SetCondition(conditions, {"Ready", "True", "Accepted", message, generation}, now);
    SetCondition(conditions, {"Stalled", "False", "Accepted", message, generation}, now);
    SetCondition(
        conditions,
        {"TestsPassed", "True", "Passed", fmt::format("{} tests passed.", check.tests), generation},
        now);
  } else {
    const std::string reason = check.loads ? "TestsFailed" : "Invalid";
    const std::string message = fmt::format(
        "Generation {} is refused: {}. {}", generation, FirstFailure(check),
        known.in_force ? fmt::format("Generation {} stays in force.", known.in_force->generation)
                       : "No earlier generation is in force.");
    SetCondition(conditions, {"Ready", "False", reason, message, generation}, now);
    SetCondition(conditions, {"Stalled", "True", reason, message, generation}, now);
    SetCondition(conditions,
                 check.loads ? Condition{"TestsPassed", "False", "Failed",
                                         fmt::format("{} of {} tests failed.",
                                                     check.failures.size(), check.tests),
                                         generation}
                             : Condition{"TestsPassed", "Unknown", "NotRun",
                                         "The ruleset does not load.", generation},
                 now);
  }
  Json accepted;  // null removes it
  if (known.in_force) {
    accepted = {{"generation", known.in_force->generation},
                {"digest", known.in_force->digest},
                {"revision", known.in_force->revision}};
  }
  client_.Patch(kAttributionRulesets, kube::KeyOf(ruleset),
                {{"metadata", {{"resourceVersion", kube::ResourceVersionOf(ruleset)}}},
                 {"status",
                  {{"observedGeneration", generation},
                   {"conditions", std::move(conditions)},
                   {"rules", check.rules},
                   {"accepted", std::move(accepted)},
                   {"failures", FailuresOf(check)}}}},
                {.type = kube::PatchType::kMerge, .subresource = "status", .field_manager = {}});
}

kube::Informer& RulesetInformer(kube::Cache& cache) {
  return cache.InformerFor({.resource = kAttributionRulesets,
                            .namespaces = {},
                            .label_selector = {},
                            .field_selector = {},
                            .projection = nullptr});
}

std::unique_ptr<kube::Reconciler> AddRulesetController(kube::Manager& manager, RulesetStore& store,
                                                       RulesetOptions options) {
  kube::Informer& rulesets = RulesetInformer(manager.cache());
  rulesets.AddEventHandler({.on_add =
                                [&store](const kube::ObjectPtr& ruleset, bool in_initial_list) {
                                  if (in_initial_list) store.Expect(kube::NameOf(*ruleset));
                                },
                            .on_update = nullptr,
                            .on_delete = nullptr});
  auto reconciler = std::make_unique<RulesetReconciler>(
      manager.client(), rulesets, store, manager.events(), manager.metrics(), std::move(options));
  manager.AddController({.name = "ruleset", .queue = {}}, *reconciler)
      .Watch(rulesets, kube::MapToSelf, kube::GenerationChanged);
  return reconciler;
}

}  // namespace controllers
