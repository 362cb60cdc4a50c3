// SPDX-License-Identifier: Apache-2.0
#include "engine/authoring/symptom_use.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace engine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(SymptomUseTest, TellsWhoFindsMakesAndExplains) {
  const auto ruleset = Ruleset::Load({{"test", R"(
catalog:
- {id: cause, title: A, domain: User, role: Root, scope: Process, establishedBy: [AppLog]}
- {id: effect, title: B, domain: User, role: Cascade, scope: Process, establishedBy: [AppLog]}
- {id: more, title: C, domain: User, role: Root, scope: Process, establishedBy: [AppLog]}
tables:
- {name: codes, rows: [{key: "7", symptom: cause}, {key: "8", symptom: effect}]}
extractors:
- {name: coded, table: codes, sources: [AppLog], match: 'code (?P<code>\d)', examples: {match: ['code 7'], noMatch: ['x']}}
refiners:
- {name: why, explain: {cause: cause, effects: [effect]}}
- {name: often, escalate: {symptom: effect, atLeast: 2, result: more}}
)"}}).ruleset;
  ASSERT_NE(ruleset, nullptr);
  const SymptomUse cause = UseOfSymptom(*ruleset, "cause");
  ASSERT_EQ(cause.finders.size(), 1U);
  EXPECT_EQ(cause.finders[0].rule, "coded");
  EXPECT_EQ(cause.finders[0].code, "7");
  EXPECT_THAT(cause.explains, ElementsAre("effect"));
  EXPECT_THAT(cause.explained_by, IsEmpty());
  EXPECT_THAT(UseOfSymptom(*ruleset, "effect").explained_by, ElementsAre("cause"));
  EXPECT_THAT(UseOfSymptom(*ruleset, "more").makers, ElementsAre("often"));
}

}  // namespace
}  // namespace engine
