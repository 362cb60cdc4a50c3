// SPDX-License-Identifier: Apache-2.0
#include "engine/rules/read_refiner.h"

#include <string>
#include <utility>
#include <vector>

namespace engine {
namespace {

constexpr std::size_t kMaxParts = 16;    // symptoms of a combination
constexpr std::size_t kMaxEffects = 64;  // symptoms that one refiner explains or puts second
constexpr std::int64_t kDaySeconds = 24LL * 3600;

std::vector<std::string> ReadSymptoms(FieldReader& reader, const char* key, std::size_t max) {
  if (reader.HasNone(key)) reader.Problem(key, "at least one symptom is needed");
  return reader.Strings(key, max);
}

void ReadExplain(FieldReader& reader, RefinerRule& rule) {
  ExplainRule explain;
  explain.cause = reader.RequiredString("cause");
  explain.effects = ReadSymptoms(reader, "effects", kMaxEffects);
  explain.scope = reader.ReadScope("scope", /*pool=*/true);
  explain.before_seconds =
      static_cast<double>(reader.Integer("beforeSeconds", 7'200, 0, 7 * kDaySeconds));
  explain.after_seconds = static_cast<double>(reader.Integer("afterSeconds", 10, 0, kDaySeconds));
  rule.explain = std::move(explain);
}

void ReadCombine(FieldReader& reader, RefinerRule& rule) {
  CombineRule combine;
  combine.all = ReadSymptoms(reader, "all", kMaxParts);
  combine.none = reader.Strings("none", kMaxParts);
  combine.coverage = reader.Sources("coverage");
  combine.all_but_one_rank =
      reader.Choice("ranks", {"AllButOne"}, /*required=*/false) == "AllButOne";
  combine.scope = reader.ReadScope("scope", /*pool=*/true);
  combine.within_seconds =
      static_cast<double>(reader.Integer("withinSeconds", 0, 0, 7 * kDaySeconds));
  combine.result = reader.RequiredString("result");
  rule.combine = std::move(combine);
}

void ReadEscalate(FieldReader& reader, RefinerRule& rule) {
  EscalateRule escalate;
  escalate.symptom = reader.RequiredString("symptom");
  if (!reader.Has("atLeast")) reader.Problem("atLeast", "is required");
  escalate.at_least = static_cast<int>(reader.Integer("atLeast", 1, 1, 10'000));
  const std::string distinct =
      reader.Choice("distinct", {"Tenant", "Node", "GPU"}, /*required=*/false);
  if (distinct == "Tenant") escalate.distinct = EscalateRule::Distinct::kTenant;
  if (distinct == "Node") escalate.distinct = EscalateRule::Distinct::kNode;
  if (distinct == "GPU") escalate.distinct = EscalateRule::Distinct::kGpu;
  escalate.scope = reader.ReadScope("scope", /*pool=*/true);
  escalate.within_seconds =
      static_cast<double>(reader.Integer("withinSeconds", 0, 0, 30 * kDaySeconds));
  escalate.result = reader.RequiredString("result");
  rule.escalate = std::move(escalate);
}

void ReadPrefer(FieldReader& reader, RefinerRule& rule) {
  PreferRule prefer;
  prefer.symptom = reader.RequiredString("symptom");
  prefer.over = ReadSymptoms(reader, "over", kMaxEffects);
  prefer.scope = reader.ReadScope("scope", /*pool=*/true);
  rule.prefer = std::move(prefer);
}

}  // namespace

RefinerRule ReadRefiner(FieldReader& reader, ProblemList& problems) {
  RefinerRule rule;
  rule.name = reader.RequiredString("name");
  reader.SetRule(rule.name);
  int kinds = 0;
  const auto read = [&](const char* key, void (*fill)(FieldReader&, RefinerRule&)) {
    const DocumentNode* const node = reader.Map(key);
    if (reader.Has(key)) ++kinds;
    if (node == nullptr) return;
    FieldReader inner(*node, reader.PathOf(key), problems);
    inner.SetRule(rule.name);
    fill(inner, rule);
    inner.RefuseOthers();
  };
  read("explain", ReadExplain);
  read("combine", ReadCombine);
  read("escalate", ReadEscalate);
  read("prefer", ReadPrefer);
  if (kinds != 1) {
    reader.Problem("name", "exactly one of explain, combine, escalate and prefer is needed");
  }
  return rule;
}

}  // namespace engine
