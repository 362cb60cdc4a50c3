// SPDX-License-Identifier: Apache-2.0
#include "engine/rules/checks.h"

#include <string>

#include "engine/rules/load_fixture.h"

namespace engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kKnown[] =
    "known are code, errno, exception, file, gpu, node, pci, pid, rank, time, uuid, value";

std::string NotThere(const std::string& where) {
  return where + ": symptom \"zz\" is not in the catalog; add it there or name another";
}

TEST(ChecksTest, EverySymptomThatIsNamedIsInTheCatalog) {
  EXPECT_THAT(Problems(Replaced("symptom: a\n", "symptom: zz\n")),
              ElementsAre(NotThere("extractors[0].symptom (finds-a) 10:3")));
  EXPECT_THAT(Problems(Replaced("key: b, symptom: b", "key: b, symptom: zz")),
              ElementsAre(NotThere("tables[0].rows[b].symptom (words) 19:3")));
  EXPECT_THAT(Problems(Replaced("symptom: a, rule", "symptom: zz, rule")),
              ElementsAre(NotThere("tests[0].expect.symptom (alpha) 25:3")));
  const std::string refiner = "explain: {cause: b, effects: [a]}";
  EXPECT_THAT(Problems(Replaced(refiner, "explain: {cause: zz, effects: [a, zz]}")),
              ElementsAre(NotThere("refiners[0].explain.cause (b-explains) 21:3"),
                          NotThere("refiners[0].explain.effects[1] (b-explains) 21:3"),
                          HasSubstr("explain themselves leave no root: zz -> zz")));
  EXPECT_THAT(Problems(Replaced(refiner, "combine: {all: [zz], none: [zz], result: zz}")),
              ElementsAre(NotThere("refiners[0].combine.all[0] (b-explains) 21:3"),
                          NotThere("refiners[0].combine.none[0] (b-explains) 21:3"),
                          NotThere("refiners[0].combine.result (b-explains) 21:3"),
                          HasSubstr("made of themselves: zz -> zz")));
  EXPECT_THAT(Problems(Replaced(refiner, "escalate: {symptom: zz, atLeast: 2, result: b}")),
              ElementsAre(NotThere("refiners[0].escalate.symptom (b-explains) 21:3")));
  EXPECT_THAT(Problems(Replaced(refiner, "prefer: {symptom: zz, over: [a]}")),
              ElementsAre(NotThere("refiners[0].prefer.symptom (b-explains) 21:3")));
}

TEST(ChecksTest, PatternsAreRe2) {
  const std::string field = "extractors[0].match (finds-a) 10:3: ";
  EXPECT_THAT(Problems(Replaced("alpha (?P<value>\\d+)'\n", "alpha ('\n")),
              ElementsAre(field + "is no RE2 regular expression: missing ): alpha ("));
  EXPECT_THAT(Problems(Replaced("alpha (?P<value>\\d+)'\n", "alpha (?=x)'\n")),
              ElementsAre(field + "is no RE2 regular expression: invalid perl operator: (?="));
  EXPECT_THAT(Problems(Replaced("alpha (?P<value>\\d+)'\n", "alpha (?:\\pL{1000}){9}'\n")),
              ElementsAre(HasSubstr("is no RE2 regular expression: ")));
  EXPECT_THAT(Problems(Replaced("alpha (?P<value>\\d+)'\n", "alpha \\pL{900}'\n")),
              ElementsAre(field + "is no RE2 regular expression: pattern too large - compile "
                                  "failed"));
  EXPECT_THAT(
      Problems(
          Replaced("  examples:\n",
                   "  unless: '['\n  record: {continue: '*', require: '(?P<x'}\n  examples:\n")),
      ElementsAre("extractors[0].unless (finds-a) 10:3: is no RE2 regular expression: missing ]: [",
                  "extractors[0].record.continue (finds-a) 10:3: is no RE2 regular expression: no "
                  "argument for repetition operator: *",
                  "extractors[0].record.require (finds-a) 10:3: is no RE2 regular expression: "
                  "invalid named capture group: (?P<x"));
}

TEST(ChecksTest, AGroupsNameStandsOnce) {
  EXPECT_THAT(
      Problems(Replaced("alpha (?P<value>\\d+)'\n", "alpha (?P<value>\\d+)|(?P<value>x) alpha'\n")),
      ElementsAre("extractors[0].match (finds-a) 10:3: has two groups named \"value\", of which "
                  "only the first would be read; make two rules of it"));
}

TEST(ChecksTest, GroupsAreOfTheVocabulary) {
  EXPECT_THAT(Problems(Replaced("(?P<value>", "(?P<thing>")),
              ElementsAre(std::string("extractors[0].match (finds-a) 10:3: group \"thing\" is not "
                                      "known; ") +
                          kKnown));
  EXPECT_THAT(Problems(Replaced("(?P<code>", "(?P<errno>")),
              ElementsAre("extractors[1].match (finds-b) 17:3: needs the group code or exception, "
                          "as in (?P<code>\\d+)"));
  EXPECT_THAT(Problems(Replaced("(?P<code>", "(?P<exception>")), IsEmpty());
  EXPECT_THAT(Problems(Replaced("match: 'alpha (?P<value>\\d+)'\n  examples",
                                "match: 'alpha'\n  counter: {}\n  examples")),
              ElementsAre("extractors[0].match (finds-a) 10:3: needs the group value, as in "
                          "(?P<value>\\d+)"));
  const std::string collector = "sources: [AppLog], match: 'alpha (?P<value>\\d+)'";
  EXPECT_THAT(Problems(Replaced(collector, "sources: [AppLog], match: 'alpha'")),
              ElementsAre("collectors[0].match (alphas) 23:3: needs the group value, as in "
                          "(?P<value>\\d+)"));
  EXPECT_THAT(Problems(Replaced(collector, "sources: [AppLog], match: 'alpha', take: Count")),
              IsEmpty());
}

TEST(ChecksTest, TablesExist) {
  EXPECT_THAT(Problems(Replaced("table: words", "table: numbers")),
              ElementsAre("extractors[1].table (finds-b) 17:3: table \"numbers\" does not exist; "
                          "add it or name another"));
}

TEST(ChecksTest, MessagesHoldKnownPlaceholders) {
  EXPECT_THAT(Problems(Replaced("title: A", "title: A\n  message: 'On {node}: {pci}, {code}.'")),
              IsEmpty());
  EXPECT_THAT(Problems(Replaced("title: A", "title: A\n  message: 'On {host} or {node}.'")),
              ElementsAre(std::string("catalog[0].message (a) 2:3: placeholder {host} is not "
                                      "known; ") +
                          kKnown));
}

TEST(ChecksTest, ReferencesReachEarlierDocuments) {
  const RulesetLoad load =
      Ruleset::Load({{"first", kGoodRules},
                     {"site",
                      "extractors:\n- {name: more, table: words, sources: [Kernel], match: 'gamma "
                      "(?P<code>\\w+)', examples: {match: [gamma b]}}\n"
                      "refiners:\n- {name: a-first, prefer: {symptom: a, over: [b]}}\n"}});
  EXPECT_THAT(Words(load.problems), IsEmpty());
}

}  // namespace
}  // namespace engine
