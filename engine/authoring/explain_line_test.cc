// SPDX-License-Identifier: Apache-2.0
#include "engine/authoring/explain_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace engine {
namespace {

using testing::HasSubstr;

constexpr char kRules[] = R"(
catalog:
- {id: a, title: A, domain: User, role: Root, scope: Process, establishedBy: [AppLog]}
tables:
- {name: codes, rows: [{key: "79", symptom: a}]}
extractors:
- {name: plain, symptom: a, sources: [AppLog], match: 'disk (?P<code>\w+) is gone', unless: 'see the manual', examples: {match: ['disk sda is gone'], noMatch: ['x']}}
- {name: anchored, symptom: a, sources: [AppLog], match: '^volume (?P<code>\d+) lost', examples: {match: ['volume 1 lost'], noMatch: ['x']}}
- {name: of-table, table: codes, sources: [AppLog, Kernel], match: '^Xid code (?P<code>\d+)', examples: {match: ['Xid code 79'], noMatch: ['x']}}
- {name: of-kernel, symptom: a, sources: [Kernel], match: 'kernel words', examples: {match: ['kernel words'], noMatch: ['x']}}
- {name: of-lines, symptom: a, sources: [AppLog], match: '^NVRM: The GPU', record: {continue: '^NVRM: ', require: 'fallen off'}, examples: {match: ["NVRM: The GPU\nNVRM: fallen off"], noMatch: ['x']}}
- {name: of-prefix, symptom: a, sources: [AppLog], match: '^\[rank3\]: stuck forever', examples: {match: ['x'], noMatch: ['x']}}
)";

class ExplainLineTest : public ::testing::Test {
 protected:
  // The sentence on a rule; "matches", or "" when it isn't told of.
  std::string On(const std::string& rule, const std::vector<std::string>& lines,
                 Source source = Source::kAppLog) {
    static const auto ruleset = Ruleset::Load({{"test", kRules}}).ruleset;
    explained_ = ExplainLine(ruleset, source, lines);
    for (const RuleOnLine& on_line : explained_.rules) {
      if (on_line.rule == rule) return on_line.matches ? "matches" : on_line.why_not;
    }
    return "";
  }
  LineExplanation explained_;
};

TEST_F(ExplainLineTest, WhatMatchesAndWhatItCaptures) {
  EXPECT_EQ(On("plain", {"2026-12-01T04:00:00Z [rank3]: disk sda is gone"}), "matches");
  EXPECT_EQ(explained_.message, "disk sda is gone");
  EXPECT_EQ(explained_.taken_off, "2026-12-01T04:00:00Z [rank3]: ");
  EXPECT_TRUE(explained_.time);
  EXPECT_EQ(explained_.rank, 3);
  EXPECT_EQ(explained_.rules[0].captures.at("code"), "sda");
  EXPECT_EQ(On("of-table", {"Xid code 79"}), "matches");
  EXPECT_EQ(explained_.rules[0].symptom, "a");
  EXPECT_EQ(On("of-lines", {"NVRM: The GPU", "NVRM: fallen off"}), "matches");
}

TEST_F(ExplainLineTest, WhatNearlyMatchesAndWhyNot) {
  EXPECT_EQ(On("of-kernel", {"kernel words"}),
            "its pattern matches, but it reads Kernel, not AppLog");
  EXPECT_EQ(On("plain", {"disk sda is gone, see the manual"}),
            "its pattern matches, but `unless` finds \"see the manual\"");
  EXPECT_EQ(On("of-table", {"Xid code 7"}),
            "its pattern matches, but \"7\" is not in the table codes");
  EXPECT_THAT(On("of-lines", {"NVRM: The GPU"}), HasSubstr("the record lacks /fallen off/"));
  EXPECT_EQ(On("anchored", {"error: volume 3 lost"}),
            "is anchored by ^, and \"error: \" stands in front of what it would match");
  EXPECT_THAT(On("of-prefix", {"[rank3]: stuck forever"}),
              HasSubstr("matches only with \"[rank3]: \" in front"));
  EXPECT_EQ(
      On("plain", {"disk sda is going"}),
      "has \"disk \", and the line fits as far as /disk (?P<code>\\w+) is go/; what is missing "
      "is /ne/");
  EXPECT_EQ(On("anchored", {"volume three"}),
            "has \"volume \", and the line fits as far as /^volume /; what is missing is "
            "/(?P<code>\\d+) lost/");
}

TEST_F(ExplainLineTest, OthersAreNotToldOf) {
  EXPECT_EQ(On("plain", {"all is well"}), "");
  EXPECT_TRUE(explained_.rules.empty());
}

}  // namespace
}  // namespace engine
