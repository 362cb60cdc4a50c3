// SPDX-License-Identifier: Apache-2.0
#include "engine/rules/warnings.h"

#include <string>

#include "engine/rules/load_fixture.h"

namespace engine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(WarningsTest, SymptomsThatNothingProduces) {
  EXPECT_THAT(Warnings(Replaced("- {id: b,",
                                "- {id: c, title: C, domain: User, role: Root, scope: "
                                "Node}\n- {id: b,")),
              ElementsAre("catalog[1] (c) 8:3: no rule produces this symptom"));
  EXPECT_THAT(Warnings(Replaced("rows: [{key: b, symptom: b}]", "rows: []")),
              ElementsAre("catalog[1] (b) 8:3: no rule produces this symptom"));
  EXPECT_THAT(Warnings(Replaced("rows: [{key: b, symptom: b}]", "rows: []") +
                       "- name: again\n  evidence: [{source: AppLog, lines: [x]}]\n"
                       "  expect: {result: Unknown}\n"),
              ElementsAre("catalog[1] (b) 8:3: no rule produces this symptom"));
}

TEST(WarningsTest, ProofsThatNothingCanBring) {
  EXPECT_THAT(
      Warnings(Replaced("establishedBy: [AppLog]", "establishedBy: [Kernel]\n  taint: 'Yes'")),
      ElementsAre("catalog[0] (a) 2:3: taints, but no extractor of it reads a source of "
                  "establishedBy: it is never proven"));
  EXPECT_THAT(Warnings(Replaced("role: Ambiguous, scope: Node}",
                                "role: Root, scope: Node, establishedBy: [Kernel], taint: 'Yes'}")),
              IsEmpty());
}

TEST(WarningsTest, UnusedTables) {
  EXPECT_THAT(Warnings(Replaced("tables:\n", "tables:\n- {name: other, rows: []}\n")),
              ElementsAre("tables[0] (other) 19:3: no extractor uses this table"));
}

TEST(WarningsTest, ExtractorsThatFindTheSame) {
  const std::string twin =
      "- {name: twin, symptom: a, sources: [Syslog, AppLog], match: 'alpha (?P<value>\\d+)', "
      "examples: {match: ['alpha 1']}EXTRA}\ntables:\n";
  const auto with = [&](const std::string& extra) {
    std::string text = twin;
    text.replace(text.find("EXTRA"), 5, extra);
    return Warnings(Replaced("tables:\n", text));
  };
  EXPECT_THAT(with(""),
              ElementsAre("extractors[2].match (twin) 18:3: finds only what finds-a finds "
                          "in AppLog already"));
  EXPECT_THAT(with(", unless: gamma"), IsEmpty());
}

TEST(WarningsTest, CombinationsOutOfOrder) {
  const std::string catalog =
      "- {id: c, title: C, domain: User, role: Root, scope: Node}\n"
      "- {id: d, title: D, domain: User, role: Root, scope: Node}\n- {id: b,";
  const auto with = [&](const std::string& refiners) {
    std::string text = Replaced("- {id: b,", catalog);
    const std::string old = "- {name: b-explains, explain: {cause: b, effects: [a]}}\n";
    return Warnings(text.replace(text.find(old), old.size(), refiners));
  };
  EXPECT_THAT(with("- {name: first, combine: {all: [a, b], result: c}}\n"
                   "- {name: second, combine: {all: [c], result: d}}\n"),
              IsEmpty());
  EXPECT_THAT(
      with("- {name: second, combine: {all: [c], result: d}}\n"
           "- {name: first, combine: {all: [a, b], result: c}}\n"),
      ElementsAre("refiners[0].combine.all (second) 23:3: \"c\" is made by a later combine; "
                  "move this one behind it"));
  EXPECT_THAT(with("- {name: second, combine: {all: [c], result: d}}\n"
                   "- {name: first, escalate: {symptom: a, atLeast: 2, result: c}}\n"),
              ElementsAre("refiners[0].combine.all (second) 23:3: \"c\" is made by escalate, which "
                          "comes after every combine"));
  EXPECT_THAT(with("- {name: first, combine: {all: [a], none: [b], result: c}}\n"
                   "- {name: second, combine: {all: [a], none: [b], coverage: [Kernel], result: "
                   "d}}\n"),
              ElementsAre("refiners[0].combine.none (first) 23:3: without coverage, what was never "
                          "looked for counts as absent; name the sources in which it would stand"));
}

}  // namespace
}  // namespace engine
