// SPDX-License-Identifier: Apache-2.0
// What the reader of each list refuses, in its words.
#include "engine/rules/read_rules.h"

#include <fmt/format.h>

#include <string>

#include "engine/rules/load_fixture.h"

namespace engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string Object(const std::string& head) { return head + "\nspec: {catalog: []}\n"; }

TEST(ReadRulesTest, AnObjectIsReadByItsKind) {
  EXPECT_THAT(Problems(Object("apiVersion: attribution.dev/v1alpha1\nkind: AttributionRuleset\n"
                              "metadata: {name: x, anything: [1]}\nstatus: {}")),
              IsEmpty());
  EXPECT_THAT(Problems(Object("apiVersion: attribution.dev/v1alpha1\nkind: ConfigMap")),
              ElementsAre("kind () 2:7: is \"ConfigMap\"; AttributionRuleset is expected"));
  EXPECT_THAT(Problems(Object("apiVersion: attribution.dev/v2\nkind: AttributionRuleset")),
              ElementsAre("apiVersion () 1:13: is \"attribution.dev/v2\"; "
                          "attribution.dev/v1alpha1 is expected"));
  EXPECT_THAT(Problems(Object("kind: AttributionRuleset")),
              ElementsAre("apiVersion () 1:1: is missing; attribution.dev/v1alpha1 is expected"));
  EXPECT_THAT(
      Problems(Object("apiVersion: attribution.dev/v1alpha1\nkind: AttributionRuleset\nspecs: {}")),
      ElementsAre("specs () 3:1: unknown field; known are apiVersion, kind, metadata, spec, "
                  "status"));
  EXPECT_THAT(Problems("apiVersion: attribution.dev/v1alpha1\nkind: AttributionRuleset\n"),
              ElementsAre("spec () 1:1: is required"));
  EXPECT_THAT(
      Problems("apiVersion: attribution.dev/v1alpha1\nkind: AttributionRuleset\nspec: []\n"),
      ElementsAre("spec () 3:7: expected a map, got a list"));
  EXPECT_THAT(
      Problems(
          "apiVersion: attribution.dev/v1alpha1\nkind: AttributionRuleset\nspec:\n  rules: []\n"),
      ElementsAre(HasSubstr("spec.rules () 4:3: unknown field; known are catalog, ")));
  EXPECT_THAT(Problems("- a\n"), ElementsAre(" () 1:1: expected a map, got a list"));
  EXPECT_THAT(Problems("just words\n"), ElementsAre(" () 1:1: expected a map, got a single value"));
}

TEST(ReadRulesTest, EnginesThatAreTooOldRefuse) {
  for (const char* good : {"1.0.0", "0.9.12"}) {
    EXPECT_THAT(Problems(fmt::format("minEngineVersion: {}", good)), IsEmpty()) << good;
  }
  for (const char* newer : {"1.0.1", "1.1.0", "2.0.0", "1.10.0"}) {
    EXPECT_THAT(
        Problems(fmt::format("minEngineVersion: {}", newer)),
        ElementsAre(fmt::format("minEngineVersion () 1:19: needs an engine of version {} or "
                                "newer, this one is 1.0.0; upgrade the operator first",
                                newer)));
  }
  for (const char* bad :
       {"1", "1.0", "1.0.0.0", "v1.0.0", "1.-1.0", "1..0", "1.0.0-rc1", "99999999999.0.0"}) {
    EXPECT_THAT(Problems(fmt::format("minEngineVersion: {}", bad)),
                ElementsAre(fmt::format("minEngineVersion () 1:19: is \"{}\"; three numbers like "
                                        "1.0.0 are expected",
                                        bad)));
  }
}

TEST(ReadRulesTest, NamesStandOnceInADocument) {
  EXPECT_THAT(Problems(Replaced("- {id: b,", "- {id: a,")),
              ElementsAre("catalog[1].id (a) 8:8: \"a\" stands twice in catalog"));
  EXPECT_THAT(Problems(Replaced("name: finds-b", "name: finds-a")),
              ElementsAre("extractors[1].name (finds-a) 17:10: \"finds-a\" stands twice in "
                          "extractors"));
  EXPECT_THAT(Problems(Replaced("rows: [{key: b, symptom: b}]",
                                "rows: [{key: b, symptom: b}, {key: b, symptom: a}]")),
              ElementsAre("tables[0].rows[1].key (words) 19:52: \"b\" stands twice"));
}

TEST(ReadRulesTest, ListsHoldMaps) {
  EXPECT_THAT(Problems("extractors: {a: b}\n"),
              ElementsAre("extractors () 1:13: expected a list, got a map"));
  EXPECT_THAT(Problems("extractors: [a, ~]\n"),
              ElementsAre("extractors[0] () 1:14: expected a map, got a single value",
                          "extractors[1] () 1:17: expected a map, got nothing"));
  std::string many = "collectors:\n";
  for (int i = 0; i < 65; ++i) many += fmt::format("- {{name: c{}}}\n", i);
  EXPECT_THAT(Problems(many), ElementsAre("collectors () 2:1: 65 items; at most 64 are allowed"));
}

TEST(ReadRulesTest, CatalogEntries) {
  for (const char* bad : {"A", "-a", "a-", "a_b", "a b", "\xc3\xa4"}) {
    EXPECT_THAT(Problems(fmt::format("catalog:\n- {{id: {}, title: T, domain: User, role: Root, "
                                     "scope: Node}}\n",
                                     bad)),
                ElementsAre(fmt::format("catalog[0].id ({}) 2:8: may hold lower-case letters, "
                                        "digits, '-' and '.' only, and begins and ends with a "
                                        "letter or digit",
                                        bad)));
  }
  EXPECT_THAT(Problems(Replaced("  title: A\n", "")),
              ElementsAre("catalog[0].title (a) 2:3: is required"));
  EXPECT_THAT(Problems(Replaced("scope: Process", "scope: Pool")),
              ElementsAre("catalog[0].scope (a) 6:10: is \"Pool\"; one of Workload, Process, GPU, "
                          "Node, Fabric is expected"));
  EXPECT_THAT(Problems(Replaced("scope: Process", "scope: Process\n  tain: x")),
              ElementsAre("catalog[0].tain (a) 7:3: unknown field; known are actions, actor, "
                          "domain, establishedBy, id, message, references, result, role, scope, "
                          "taint, title, workloadInducible"));
  EXPECT_THAT(Problems(Replaced("scope: Process", "scope: Process\n  result: Succeeded")),
              ElementsAre(HasSubstr("is Benign for a word of success (result: Succeeded)")));
  EXPECT_THAT(Problems(Replaced("scope: Process", "scope: Process\n  result: Done")),
              ElementsAre("catalog[0].result (a) 7:11: is \"Done\"; one of Failed, Cancelled, "
                          "Succeeded is expected"));
  EXPECT_THAT(Problems(Replaced("scope: Process", "scope: Process\n  taint: yes")),
              ElementsAre("catalog[0].taint (a) 7:10: is \"yes\"; one of No, Yes is expected"));
}

TEST(ReadRulesTest, WhatTaintsIsProvenByWhatTheWorkloadCannotWrite) {
  for (const char* sources : {"[AppLog]", "[]", "[Event, Syslog]"}) {
    EXPECT_THAT(Problems(Replaced("establishedBy: [AppLog]",
                                  fmt::format("establishedBy: {}\n  taint: 'Yes'", sources))),
                ElementsAre("catalog[0].taint (a) 8:10: \"Yes\" needs a source in establishedBy "
                            "that the workload cannot write (Kernel, Kubelet, NodeCondition, "
                            "NodeMetric, PodStatus, Scheduler)"));
  }
}

TEST(ReadRulesTest, ResultAndActorOfACatalogEntry) {
  const RulesetLoad load =
      Ruleset::Load({{"site", Replaced("scope: Process",
                                       "scope: Process\n  result: Cancelled\n  actor: Kueue")}});
  ASSERT_NE(load.ruleset, nullptr);
  const CatalogEntry& entry = *load.ruleset->FindSymptom("a");
  EXPECT_EQ(entry.result, Result::kCancelled);
  EXPECT_EQ(entry.actor, "Kueue");
  EXPECT_EQ(entry.workload_inducible, "Unknown");
  EXPECT_FALSE(entry.taint);
  EXPECT_EQ(load.ruleset->FindSymptom("b")->result, Result::kFailed);
}

TEST(ReadRulesTest, Extractors) {
  const std::string both = "extractors[0].symptom (finds-a) ";
  EXPECT_THAT(Problems(Replaced("symptom: a\n", "symptom: a\n  table: words\n")),
              ElementsAre(both + "11:12: exactly one of symptom and table is needed"));
  EXPECT_THAT(Problems(Replaced("  symptom: a\n", "")),
              ElementsAre(both + "10:3: exactly one of symptom and table is needed"));
  EXPECT_THAT(Problems(Replaced("sources: [AppLog]\n", "sources: []\n")),
              ElementsAre("extractors[0].sources (finds-a) 12:12: at least one source is needed"));
  EXPECT_THAT(Problems(Replaced("  sources: [AppLog]\n", "")),
              ElementsAre("extractors[0].sources (finds-a) 10:3: at least one source is needed"));
  EXPECT_THAT(Problems(Replaced("  match: 'alpha (?P<value>\\d+)'\n", "")),
              ElementsAre("extractors[0].match (finds-a) 10:3: is required"));
  EXPECT_THAT(Problems(Replaced("'alpha (?P<value>\\d+)'", std::string(1025, 'a'))),
              ElementsAre("extractors[0].match (finds-a) 13:10: 1025 bytes long; at most 1024 are "
                          "allowed"));
  EXPECT_THAT(Problems(Replaced("'alpha (?P<value>\\d+)'", "|\n    alpha")),
              ElementsAre(HasSubstr("extractors[0].match (finds-a) 13:10: holds a line break")));
  EXPECT_THAT(
      Problems(Replaced("  examples:\n    match: ['alpha 1']\n    noMatch: ['beta']\n", "")),
      ElementsAre("extractors[0].examples (finds-a) 10:3: is required"));
  EXPECT_THAT(Problems(Replaced("    match: ['alpha 1']\n", "")),
              ElementsAre("extractors[0].examples.match (finds-a) 15:5: at least one example is "
                          "needed"));
  EXPECT_THAT(Problems(Replaced("noMatch:", "nomatch:")),
              ElementsAre("extractors[0].examples.nomatch (finds-a) 16:5: unknown field; known are "
                          "match, noMatch"));
}

TEST(ReadRulesTest, RecordsAndCounters) {
  const auto with = [](const std::string& field) {
    return Problems(Replaced("  examples:\n", "  " + field + "\n  examples:\n"));
  };
  EXPECT_THAT(with("record: {continue: ' '}"), IsEmpty());
  EXPECT_THAT(
      with("record: {maxLines: 65, maxSeconds: -1}"),
      ElementsAre("extractors[0].record.continue (finds-a) 14:11: is required",
                  "extractors[0].record.maxLines (finds-a) 14:22: is \"65\"; a whole number "
                  "from 1 to 64 is expected",
                  "extractors[0].record.maxSeconds (finds-a) 14:38: is \"-1\"; a whole "
                  "number from 0 to 3600 is expected"));
  EXPECT_THAT(with("record: x"),
              ElementsAre("extractors[0].record (finds-a) 14:11: expected a map, got a single "
                          "value"));
  EXPECT_THAT(with("counter: {}"), IsEmpty());
  EXPECT_THAT(
      with("counter: {increaseAtLeast: 0, withinSeconds: 2592001, scope: Pool, x: y}"),
      ElementsAre("extractors[0].counter.increaseAtLeast (finds-a) 14:30: is \"0\"; a whole "
                  "number from 1 to 1000000000000 is expected",
                  "extractors[0].counter.withinSeconds (finds-a) 14:48: is \"2592001\"; a "
                  "whole number from 1 to 2592000 is expected",
                  "extractors[0].counter.scope (finds-a) 14:64: is \"Pool\"; one of "
                  "Workload, Process, GPU, Node, Fabric is expected",
                  "extractors[0].counter.x (finds-a) 14:70: unknown field; known are "
                  "increaseAtLeast, scope, withinSeconds"));
}

TEST(ReadRulesTest, Tables) {
  EXPECT_THAT(Problems(Replaced(", rows: [{key: b, symptom: b}]", "")),
              ElementsAre("tables[0].rows (words) 19:3: is required"));
  EXPECT_THAT(
      Problems(Replaced("{key: b, symptom: b}", "{key: '', symptom: b, x: y}, z")),
      ElementsAre("tables[0].rows[0].key (words) 19:30: is required",
                  "tables[0].rows[0].x (words) 19:46: unknown field; known are key, symptom",
                  "tables[0].rows[1] () 19:53: expected a map, got a single value"));
}

TEST(ReadRulesTest, Refiners) {
  const auto with = [](const std::string& refiner) {
    return Problems(Replaced("- {name: b-explains, explain: {cause: b, effects: [a]}}", refiner));
  };
  const std::string one =
      "refiners[0].name (r) 21:10: exactly one of explain, combine, escalate and prefer is needed";
  EXPECT_THAT(with("- {name: r}"), ElementsAre(one));
  EXPECT_THAT(
      with("- {name: r, explain: {cause: b, effects: [a]}, prefer: {symptom: b, over: [a]}}"),
      ElementsAre(one));
  EXPECT_THAT(with("- {name: r, explain: x}"),
              ElementsAre("refiners[0].explain (r) 21:22: expected a map, got a single value"));
  EXPECT_THAT(
      with("- {name: r, explain: {effects: [], afterSeconds: 86401}}"),
      ElementsAre("refiners[0].explain.cause (r) 21:22: is required",
                  "refiners[0].explain.effects (r) 21:32: at least one symptom is needed",
                  "refiners[0].explain.afterSeconds (r) 21:50: is \"86401\"; a whole number "
                  "from 0 to 86400 is expected"));
  EXPECT_THAT(with("- {name: r, combine: {ranks: All, coverage: [Dreams]}}"),
              ElementsAre("refiners[0].combine.all (r) 21:22: at least one symptom is needed",
                          HasSubstr("refiners[0].combine.coverage (r) 21:45: \"Dreams\" is no "
                                    "source; one of AppLog"),
                          "refiners[0].combine.ranks (r) 21:30: is \"All\"; AllButOne is expected",
                          "refiners[0].combine.result (r) 21:22: is required"));
  EXPECT_THAT(with("- {name: r, escalate: {symptom: a, result: b, distinct: User}}"),
              ElementsAre("refiners[0].escalate.atLeast (r) 21:23: is required",
                          "refiners[0].escalate.distinct (r) 21:57: is \"User\"; one of Tenant, "
                          "Node, GPU is expected"));
  EXPECT_THAT(with("- {name: r, prefer: {symptom: a, over: x, scope: Job}}"),
              ElementsAre("refiners[0].prefer.over (r) 21:40: expected a list, got a single value",
                          HasSubstr("refiners[0].prefer.scope (r) 21:50: is \"Job\"; one of "
                                    "Workload, Process, GPU, Node, Fabric, Pool")));
}

TEST(ReadRulesTest, Collectors) {
  EXPECT_THAT(
      Problems(Replaced("- {name: alphas, sources: [AppLog],", "- {name: alphas, take: Any,")),
      ElementsAre("collectors[0].sources (alphas) 23:3: at least one source is needed",
                  "collectors[0].take (alphas) 23:24: is \"Any\"; one of First, Last, "
                  "Count, All is expected"));
}

TEST(ReadRulesTest, Tests) {
  const std::string expect = "{result: Failed, domain: User, symptom: a, rule: finds-a}";
  EXPECT_THAT(Problems(Replaced(expect, "{}")),
              ElementsAre("tests[0].expect (alpha) 28:11: at least one expectation is needed"));
  EXPECT_THAT(Problems(Replaced("  expect: " + expect + "\n", "")),
              ElementsAre("tests[0].expect (alpha) 25:3: is required"));
  EXPECT_THAT(Problems(Replaced(expect, "{domain: Hardwear, taint: true, level: x}")),
              ElementsAre("tests[0].expect.domain (alpha) 28:20: is \"Hardwear\"; one of User, "
                          "Hardware, Network, Storage, Platform, Unknown is expected",
                          "tests[0].expect.taint (alpha) 28:37: is \"true\"; one of Yes, No is "
                          "expected",
                          "tests[0].expect.level (alpha) 28:43: unknown field; known are domain, "
                          "evidenceLevel, node, result, rule, symptom, taint, uncertainty"));
  EXPECT_THAT(Problems(Replaced("{source: AppLog, lines: ['alpha 1']}", "{source: applog}")),
              ElementsAre(HasSubstr("tests[0].evidence[0].source (alpha) 27:14: is \"applog\"; one "
                                    "of AppLog, "),
                          "tests[0].evidence[0].lines (alpha) 27:5: is required"));
  EXPECT_THAT(Problems(Replaced("  evidence:\n  - {source: AppLog, lines: ['alpha 1']}\n",
                                "  evidence: []\n")),
              ElementsAre("tests[0].evidence (alpha) 26:13: at least one entry is needed"));
}

}  // namespace
}  // namespace engine
