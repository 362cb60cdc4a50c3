// SPDX-License-Identifier: Apache-2.0
#include "engine/authoring/pattern_warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Of an extractor `one` with that match and unless; `base` stands before it.
std::vector<std::string> Warnings(const std::string& match, const std::string& example,
                                  const std::string& unless = "") {
  std::string text = R"(
catalog:
- {id: a, title: A, domain: User, role: Root, scope: Process, establishedBy: [AppLog]}
extractors:
- {name: base, symptom: a, sources: [AppLog, Kernel], match: 'volume \w+ is lost', examples: {match: ['volume a is lost'], noMatch: ['x']}}
- name: one
  symptom: a
  sources: [AppLog]
)";
  text += "  match: '" + match + "'\n";
  if (!unless.empty()) text += "  unless: '" + unless + "'\n";
  text += "  examples: {match: ['" + example + "'], noMatch: ['x']}\n";
  const RulesetLoad load = Ruleset::Load({{"site", text}});
  for (const RulesetProblem& problem : load.problems) ADD_FAILURE() << problem.message;
  std::vector<std::string> messages;
  for (const RulesetProblem& warning : PatternWarnings(load.ruleset, {"site"})) {
    EXPECT_EQ(warning.file, "site");
    EXPECT_THAT(warning.path, HasSubstr("extractors[1]."));
    messages.push_back(warning.message);
  }
  return messages;
}

TEST(PatternWarningsTest, WhatIsWellMeantIsLeftAlone) {
  EXPECT_THAT(Warnings("disk (?P<code>\\w+) is gone", "disk a is gone", "see the manual"),
              IsEmpty());
}

TEST(PatternWarningsTest, WhatCanNeverMatch) {
  EXPECT_THAT(Warnings("disk is gone\\nforever", "disk is gone"),
              ElementsAre(HasSubstr("it asks for a line break")));
  EXPECT_THAT(Warnings("disk is gone", "disk is gone", "disk|disc"),
              ElementsAre(HasSubstr("each line that fits `match` fits this as well")));
}

TEST(PatternWarningsTest, WhatAnotherFindsAlready) {
  EXPECT_THAT(Warnings("volume (?P<code>\\w+) is lost", "volume b is lost"),
              ElementsAre(HasSubstr("is shadowed: base takes all its examples for a as well")));
}

TEST(PatternWarningsTest, WhatIsSlow) {
  EXPECT_THAT(Warnings("\\d+ error \\d+", "1 error 2"),
              ElementsAre(HasSubstr("every line that holds \" error \"")));
  EXPECT_THAT(Warnings("^.*disk is gone", "disk is gone"), ElementsAre(HasSubstr("drop the .*")));
  EXPECT_THAT(Warnings("disk is gone (?:[a-z]{1,20}[0-9]{1,20} ?){25}", "x"),
              testing::Contains(HasSubstr("instructions")));
}

}  // namespace
}  // namespace engine
