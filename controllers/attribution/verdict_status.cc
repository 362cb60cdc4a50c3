// SPDX-License-Identifier: Apache-2.0
#include "controllers/attribution/verdict_status.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "controllers/status/conditions.h"
#include "controllers/status/field.h"

namespace controllers {
namespace {

using kube::Json;

// maxLength and maxItems of the CRD.
constexpr std::size_t kMaxMessage = 1024;
constexpr std::size_t kMaxLine = 4096;
constexpr std::size_t kMaxName = 253;
constexpr std::size_t kMaxValue = 1024;

// Sets a string unless it is empty: an absent field says the same, and shorter.
void Put(Json& object, const char* key, std::string_view text, std::size_t limit) {
  if (!text.empty()) object[key] = CutText(std::string(text), limit);
}

void PutTime(Json& object, const char* key, const std::optional<engine::Time>& time) {
  if (time) object[key] = engine::FormatTime(*time);
}

template <typename Items, typename Convert>
void PutList(Json& object, const char* key, const Items& items, std::size_t limit,
             Convert convert) {
  Json list = Json::array();
  for (const auto& item : items) {
    if (list.size() == limit) break;
    list.push_back(convert(item));
  }
  if (!list.empty()) object[key] = std::move(list);
}

Json TextOf(const std::string& line) { return CutText(line, kMaxLine); }

Json CulpritOf(const engine::Culprit& culprit) {
  Json object = Json::object();
  Put(object, "node", culprit.node, kMaxName);
  Put(object, "gpuUUID", culprit.gpu_uuid, kMaxName);
  Put(object, "pciAddress", culprit.pci_address, kMaxName);
  if (culprit.rank) object["rank"] = *culprit.rank;
  return object;
}

Json VerdictOf(const engine::Verdict& verdict) {
  Json object = {{"result", engine::ToString(verdict.result)},
                 {"domain", engine::ToString(verdict.domain)},
                 {"evidenceLevel", engine::ToString(verdict.evidence_level)},
                 {"uncertainty", engine::ToString(verdict.uncertainty)}};
  PutList(object, "otherDomains", verdict.other_domains, 4,
          [](engine::Domain domain) { return engine::ToString(domain); });
  Put(object, "symptom", verdict.symptom, kMaxName);
  if (Json culprit = CulpritOf(verdict.culprit); !culprit.empty()) {
    object["culprit"] = std::move(culprit);
  }
  Put(object, "message", verdict.message, kMaxMessage);
  PutList(object, "actors", verdict.actors, 4, [](const engine::Actor& actor) {
    Json entry = {{"kind", actor.kind}};
    Put(entry, "name", actor.name, kMaxName);
    Put(entry, "reason", actor.reason, kMaxName);
    return entry;
  });
  PutList(object, "actions", verdict.actions, 8, [](const std::string& action) { return action; });
  return object;
}

Json RootOf(const engine::RootLine& root) {
  Json object = {{"source", engine::ToString(root.source)},
                 {"trust", engine::ToString(root.trust)},
                 {"lineNumber", root.line_number}};
  Put(object, "object", root.object, kMaxName);
  Put(object, "container", root.container, kMaxName);
  Put(object, "rule", root.rule, kMaxName);
  PutTime(object, "time", root.time);
  Put(object, "line", root.line, kMaxLine);
  PutList(object, "before", root.before, 5, TextOf);
  PutList(object, "after", root.after, 5, TextOf);
  return object;
}

Json SymptomOf(const engine::SymptomReport& symptom) {
  Json object = {{"id", symptom.id},
                 {"symptom", symptom.symptom},
                 {"role", engine::ToString(symptom.role)},
                 {"count", symptom.count}};
  Put(object, "node", symptom.node, kMaxName);
  Put(object, "gpuUUID", symptom.gpu_uuid, kMaxName);
  if (symptom.rank) object["rank"] = *symptom.rank;
  PutTime(object, "firstTime", symptom.first_time);
  PutTime(object, "lastTime", symptom.last_time);
  Put(object, "explainedBy", symptom.explained_by, kMaxName);
  return object;
}

Json EvidenceOf(const engine::EvidenceReport& report) {
  return {{"source", engine::ToString(report.source)},
          {"complete", report.complete},
          {"partial", report.partial},
          {"missing", report.missing},
          {"forbidden", report.forbidden},
          {"lines", report.lines},
          {"bytes", report.bytes}};
}

Json GapOf(const engine::Gap& gap) {
  Json object = {{"source", engine::ToString(gap.source)}, {"reason", gap.reason}};
  Put(object, "object", gap.object, kMaxName);
  Put(object, "message", gap.message, kMaxMessage);
  return object;
}

Json PlacementOf(const Placement& placement) {
  Json object = {{"pods", placement.pods}, {"nodes", placement.nodes}, {"gpus", placement.gpus}};
  Put(object, "queue", placement.queue, kMaxName);
  Put(object, "user", placement.user, kMaxName);
  Put(object, "framework", placement.framework, kMaxName);
  return object;
}

Json AppliedOf(const std::string& policy, const std::vector<AppliedRuleset>& rulesets) {
  Json object = Json::object();
  Put(object, "policy", policy, kMaxName);
  PutList(object, "rulesets", rulesets, 8, [](const AppliedRuleset& ruleset) {
    return Json{
        {"name", ruleset.name}, {"generation", ruleset.generation}, {"digest", ruleset.digest}};
  });
  return object;
}

// Higher is stronger.
int StrengthOf(std::string_view result, std::string_view level) {
  if (result == "Unknown" || result.empty()) return 0;
  return level == "Established" ? 3 : level == "Supported" ? 2 : 1;
}

// Shortens a list from its end (or its start). Absent lists stay absent.
void KeepFirst(Json& status, const char* key, std::size_t count) {
  const auto list = status.find(key);
  if (list != status.end() && list->size() > count) {
    list->erase(list->begin() + static_cast<std::ptrdiff_t>(count), list->end());
  }
}

void KeepLast(Json& status, const char* key, std::size_t count) {
  const auto list = status.find(key);
  if (list != status.end() && list->size() > count) {
    list->erase(list->begin(), list->end() - static_cast<std::ptrdiff_t>(count));
  }
}

void CutTail(Json& status, std::size_t bytes) {
  const auto tail = status.find("tail");
  if (tail == status.end()) return;
  for (Json& line : *tail) line = CutText(line.get<std::string>(), bytes);
}

void CutRoot(Json& status, std::size_t bytes) {
  const auto root = status.find("root");
  if (root == status.end()) return;
  root->erase("before");
  root->erase("after");
  if (const auto line = root->find("line"); line != root->end()) {
    *line = CutText(line->get<std::string>(), bytes);
  }
}

// The nearest to a real symptom id goes last: a removed entry must not be named by explainedBy.
void DropDanglingExplanations(Json& status) {
  const auto symptoms = status.find("symptoms");
  if (symptoms == status.end()) return;
  for (Json& symptom : *symptoms) {
    const std::string explained_by = kube::StringAt(symptom, "/explainedBy");
    const bool there = std::any_of(symptoms->begin(), symptoms->end(), [&](const Json& other) {
      return kube::StringAt(other, "/id") == explained_by;
    });
    if (!there) symptom.erase("explainedBy");
  }
}

}  // namespace

Json StatusFields(const engine::Attribution& attribution, const Placement& placement,
                  const std::string& policy, const std::vector<AppliedRuleset>& rulesets) {
  Json status = {{"verdict", VerdictOf(attribution.verdict)},
                 {"placement", PlacementOf(placement)},
                 {"applied", AppliedOf(policy, rulesets)}};
  if (attribution.root) status["root"] = RootOf(*attribution.root);
  if (attribution.tail.size() > 40) {
    PutList(status, "tail", std::vector(attribution.tail.end() - 40, attribution.tail.end()), 40,
            TextOf);
  } else {
    PutList(status, "tail", attribution.tail, 40, TextOf);
  }
  PutList(status, "symptoms", attribution.symptoms, 32, SymptomOf);
  PutList(status, "nodes", attribution.nodes, 32, [](const engine::NodeReport& node) {
    return Json{{"name", node.name}, {"role", engine::ToString(node.role)}};
  });
  PutList(status, "evidence", attribution.evidence, 12, EvidenceOf);
  PutList(status, "gaps", attribution.gaps, 32, GapOf);
  PutList(status, "facts", attribution.facts, 32, [](const engine::Fact& fact) {
    Json entry = {{"name", fact.name}, {"state", engine::ToString(fact.state)}};
    Put(entry, "value", fact.value, kMaxValue);
    return entry;
  });
  DropDanglingExplanations(status);
  return status;
}

bool SameVerdict(const Json& a, const Json& b) {
  const auto core = [](Json verdict) {
    if (!verdict.is_object()) return Json::object();
    for (const char* key : {"revision", "settledTime", "message", "actions"}) verdict.erase(key);
    return verdict;
  };
  return core(a) == core(b);
}

void FitStatus(Json& status, std::size_t max_bytes) {
  const auto fits = [&] { return status.dump().size() <= max_bytes; };
  if (fits()) return;
  CutRoot(status, kMaxLine);
  if (fits()) return;
  CutTail(status, 512);
  if (fits()) return;
  KeepFirst(status, "gaps", 8);
  KeepFirst(status, "facts", 16);
  if (fits()) return;
  KeepLast(status, "tail", 20);
  CutTail(status, 256);
  KeepFirst(status, "symptoms", 16);
  DropDanglingExplanations(status);
  if (fits()) return;
  CutRoot(status, 1024);
  for (const char* list : {"gaps", "facts", "tail", "symptoms", "nodes"}) {
    KeepFirst(status, list, 4);
    DropDanglingExplanations(status);
    if (fits()) return;
  }
}

bool MayReplace(const Json& written_status, const engine::Attribution& fresh) {
  const Json& verdict = Field(written_status, "/verdict");
  if (!verdict.is_object()) return true;
  const int written_strength =
      StrengthOf(kube::StringAt(verdict, "/result"), kube::StringAt(verdict, "/evidenceLevel"));
  const int fresh_strength = StrengthOf(engine::ToString(fresh.verdict.result),
                                        engine::ToString(fresh.verdict.evidence_level));
  if (fresh_strength >= written_strength) return true;
  const Json& written_evidence = Field(written_status, "/evidence");
  return std::none_of(written_evidence.begin(), written_evidence.end(), [&](const Json& written) {
    const auto same = std::find_if(
        fresh.evidence.begin(), fresh.evidence.end(), [&](const engine::EvidenceReport& e) {
          return engine::ToString(e.source) == kube::StringAt(written, "/source");
        });
    const std::int64_t complete = same == fresh.evidence.end() ? 0 : same->complete;
    return complete < IntegerField(written, "/complete", 0);
  });
}

}  // namespace controllers
