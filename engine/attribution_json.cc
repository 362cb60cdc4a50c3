// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "engine/attribution.h"

namespace engine {
namespace {

using Json = nlohmann::ordered_json;

void Put(Json& object, const char* key, const std::string& text) {
  if (!text.empty()) object[key] = text;
}

void PutTime(Json& object, const char* key, const std::optional<Time>& time) {
  if (time) object[key] = FormatTime(*time);
}

template <typename Items, typename Convert>
void PutList(Json& object, const char* key, const Items& items, Convert convert) {
  if (items.empty()) return;
  Json list = Json::array();
  for (const auto& item : items) list.push_back(convert(item));
  object[key] = std::move(list);
}

Json Text(const std::string& text) { return text; }

Json VerdictJson(const Verdict& verdict) {
  Json object = {{"result", ToString(verdict.result)}, {"domain", ToString(verdict.domain)}};
  PutList(object, "otherDomains", verdict.other_domains,
          [](Domain domain) { return Json(ToString(domain)); });
  object["evidenceLevel"] = ToString(verdict.evidence_level);
  Put(object, "symptom", verdict.symptom);
  Json culprit = Json::object();
  Put(culprit, "node", verdict.culprit.node);
  Put(culprit, "gpuUUID", verdict.culprit.gpu_uuid);
  Put(culprit, "pciAddress", verdict.culprit.pci_address);
  if (verdict.culprit.rank) culprit["rank"] = *verdict.culprit.rank;
  if (!culprit.empty()) object["culprit"] = std::move(culprit);
  Put(object, "message", verdict.message);
  object["uncertainty"] = ToString(verdict.uncertainty);
  PutList(object, "actors", verdict.actors, [](const Actor& actor) {
    Json entry = {{"kind", actor.kind}};
    Put(entry, "name", actor.name);
    Put(entry, "reason", actor.reason);
    return entry;
  });
  PutList(object, "actions", verdict.actions, Text);
  return object;
}

Json RootJson(const RootLine& root) {
  Json object = {{"source", ToString(root.source)}, {"trust", ToString(root.trust)}};
  Put(object, "object", root.object);
  Put(object, "container", root.container);
  Put(object, "rule", root.rule);
  PutTime(object, "time", root.time);
  object["lineNumber"] = root.line_number;
  Put(object, "line", root.line);
  PutList(object, "before", root.before, Text);
  PutList(object, "after", root.after, Text);
  return object;
}

Json SymptomJson(const SymptomReport& symptom) {
  Json object = {
      {"id", symptom.id}, {"symptom", symptom.symptom}, {"role", ToString(symptom.role)}};
  Put(object, "node", symptom.node);
  Put(object, "gpuUUID", symptom.gpu_uuid);
  Put(object, "pciAddress", symptom.pci_address);
  if (symptom.rank) object["rank"] = *symptom.rank;
  PutTime(object, "firstTime", symptom.first_time);
  PutTime(object, "lastTime", symptom.last_time);
  object["count"] = symptom.count;
  Put(object, "explainedBy", symptom.explained_by);
  Put(object, "rule", symptom.rule);
  object["source"] = ToString(symptom.source);
  object["trust"] = ToString(symptom.trust);
  Put(object, "line", symptom.line);
  object["lineNumber"] = symptom.line_number;
  Put(object, "stream", symptom.stream);
  return object;
}

}  // namespace

Json ToJson(const Attribution& attribution) {
  Json object = {{"verdict", VerdictJson(attribution.verdict)}};
  if (attribution.root) object["root"] = RootJson(*attribution.root);
  PutList(object, "tail", attribution.tail, Text);
  PutList(object, "symptoms", attribution.symptoms, SymptomJson);
  PutList(object, "nodes", attribution.nodes, [](const NodeReport& node) {
    return Json{{"name", node.name}, {"role", ToString(node.role)}};
  });
  PutList(object, "evidence", attribution.evidence, [](const EvidenceReport& report) {
    return Json{{"source", ToString(report.source)},
                {"complete", report.complete},
                {"partial", report.partial},
                {"missing", report.missing},
                {"forbidden", report.forbidden},
                {"lines", report.lines},
                {"bytes", report.bytes}};
  });
  PutList(object, "gaps", attribution.gaps, [](const Gap& gap) {
    Json entry = {{"source", ToString(gap.source)}};
    Put(entry, "object", gap.object);
    Put(entry, "reason", gap.reason);
    Put(entry, "message", gap.message);
    return entry;
  });
  PutList(object, "facts", attribution.facts, [](const Fact& fact) {
    Json entry = {{"name", fact.name}};
    Put(entry, "value", fact.value);
    entry["state"] = ToString(fact.state);
    return entry;
  });
  return object;
}

}  // namespace engine
