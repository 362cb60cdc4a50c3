// SPDX-License-Identifier: Apache-2.0
// From texts to one ruleset: the whole way.
#include <string>

#include "engine/rules/load_fixture.h"

namespace engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(LoadTest, AGoodRulesetLoads) {
  const RulesetLoad load = Ruleset::Load({{"site", kGoodRules}});
  EXPECT_THAT(Words(load.problems), IsEmpty());
  EXPECT_THAT(Words(load.warnings), IsEmpty());
  ASSERT_NE(load.ruleset, nullptr);
  EXPECT_EQ(load.ruleset->RuleCount(), 5U) << "2 extractors, a row, a refiner and a collector";
  EXPECT_THAT(load.ruleset->Catalog(), SizeIs(2));
  EXPECT_EQ(load.ruleset->FindSymptom("b")->title, "B");
  EXPECT_EQ(load.ruleset->FindSymptom("c"), nullptr);
}

TEST(LoadTest, AKernelMessageInATestIsOneLineWhateverItHolds) {
  const std::string test =
      "tests:\n- {name: n, evidence: [{source: Kernel, node: n1, lines: [LINE]}], "
      "expect: {symptom: a}}\n";
  for (const auto& [line, failures] :
       {std::pair("\"alpha 1\"", 0U), std::pair("\"alpha 1\\n\"", 0U),
        std::pair("\"comm: x\\nalpha 1\"", 1U), std::pair("\"\\nalpha 1\"", 1U)}) {
    std::string site = test;
    site.replace(site.find("LINE"), 4, line);
    const RulesetLoad load =
        Ruleset::Load({{"first", Replaced("sources: [AppLog]\n  match: 'alpha",
                                          "sources: [AppLog, Kernel]\n  match: '^alpha")},
                       {"site", site}});
    ASSERT_NE(load.ruleset, nullptr) << line;
    EXPECT_THAT(RunEmbeddedTests(load.ruleset, "site").failures, SizeIs(failures)) << line;
  }
}

TEST(LoadTest, NothingIsARulesetToo) {
  for (const std::string text : {"", "\n", "# nothing\n", "---\n...\n", "{}"}) {
    EXPECT_THAT(Problems(text), IsEmpty()) << text;
  }
  EXPECT_NE(Ruleset::Load({}).ruleset, nullptr);
}

TEST(LoadTest, LaterDocumentsWinByName) {
  const RulesetLoad load = Ruleset::Load(
      {{"first", kGoodRules},
       {"second",
        "catalog:\n- {id: a, title: Other, domain: Storage, role: Root, scope: Process}\n"
        "extractors:\n- {name: finds-a, symptom: a, sources: [AppLog], match: gamma, "
        "examples: {match: [gamma]}}\n"
        "tests:\n- {name: alpha, evidence: [{source: AppLog, lines: [gamma]}], "
        "expect: {domain: Storage}}\n"}});
  EXPECT_THAT(Words(load.problems), IsEmpty());
  ASSERT_NE(load.ruleset, nullptr);
  EXPECT_EQ(load.ruleset->FindSymptom("a")->title, "Other");
  EXPECT_THAT(load.ruleset->Catalog(), SizeIs(2));
  EXPECT_EQ(load.ruleset->RuleCount(), 5U);
  EXPECT_THAT(RunEmbeddedTests(load.ruleset).failures, IsEmpty());
}

TEST(LoadTest, TheLaterDocumentIsNamedForWhatItReplaced) {
  const RulesetLoad load =
      Ruleset::Load({{"first", kGoodRules},
                     {"second",
                      "\nextractors:\n- {name: finds-a, symptom: zz, sources: [AppLog], match: "
                      "gamma, examples: {match: [gamma]}}\n"}});
  ASSERT_THAT(load.problems, SizeIs(1));
  EXPECT_EQ(load.problems[0].file, "second");
  EXPECT_EQ(Words(load.problems[0]),
            "extractors[0].symptom (finds-a) 3:3: symptom \"zz\" is not in the catalog; add it "
            "there or name another");
}

TEST(LoadTest, SeveralDocumentsInOneTextAreToldApart) {
  const std::string second =
      "---\nextractors:\n- {name: other, symptom: SYMPTOM, sources: [AppLog], match: gamma, "
      "examples: {match: [gamma]}}\n";
  std::string good = kGoodRules + second;
  good.replace(good.find("SYMPTOM"), 7, "a");
  const RulesetLoad load = Ruleset::Load({{"site", good}});
  ASSERT_NE(load.ruleset, nullptr);
  EXPECT_EQ(load.ruleset->RuleCount(), 6U);
  const RulesetTestReport report = RunEmbeddedTests(load.ruleset, "site");
  EXPECT_EQ(report.passed, 5);
  EXPECT_THAT(report.failures, IsEmpty());

  EXPECT_THAT(Problems(kGoodRules + second),
              ElementsAre("document[1].extractors[0].symptom (other) 31:3: symptom \"SYMPTOM\" is "
                          "not in the catalog; add it there or name another"));
}

TEST(LoadTest, JsonIsReadAsWell) {
  EXPECT_THAT(
      Problems(R"({"apiVersion":"attribution.dev/v1alpha1","kind":"AttributionRuleset",)"
               R"("metadata":{"name":"x","labels":{"a":"b"}},"spec":{"catalog":[{"id":"a",)"
               R"("title":"\u003cA\u003e\/","domain":"User","role":"Root","scope":"Process"}],)"
               R"("extractors":[{"name":"x","symptom":"a","sources":["AppLog"],)"
               R"("match":"^\\s*alpha\t?","examples":{"match":["\talpha"]}}]},"status":{}})"),
      IsEmpty());
}

TEST(LoadTest, AllProblemsAreFoundAtOnceUpToAHundred) {
  EXPECT_THAT(Problems("catalog:\n- {id: a}\n- {id: b, title: B, domain: User, role: Boss, scope: "
                       "Process}\nbogus: 1\n"),
              ElementsAre("catalog[0].title (a) 2:3: is required",
                          "catalog[0].domain (a) 2:3: is missing; one of Unknown, User, Hardware, "
                          "Network, Storage, Platform is expected",
                          "catalog[0].role (a) 2:3: is missing; one of Root, Ambiguous, Cascade, "
                          "Teardown, Benign is expected",
                          "catalog[0].scope (a) 2:3: is missing; one of Workload, Process, GPU, "
                          "Node, Fabric is expected",
                          "catalog[1].role (b) 3:41: is \"Boss\"; one of Root, Ambiguous, Cascade, "
                          "Teardown, Benign is expected",
                          "bogus () 4:1: unknown field; known are catalog, collectors, extractors, "
                          "minEngineVersion, refiners, tables, tests"));
  std::string many = "catalog:\n";
  for (int i = 0; i < 200; ++i) many += "- {}\n";
  EXPECT_THAT(Problems(many), SizeIs(100));
  const RulesetLoad twice = Ruleset::Load({{"x", many}, {"y", many}});
  EXPECT_THAT(twice.problems, SizeIs(100));
}

TEST(LoadTest, AHalfReadFileGivesNoProblemsThatFollow) {
  EXPECT_THAT(Problems("bogus: 1\n---\na: [\n"), ElementsAre(HasSubstr("ends too early")));
}

TEST(LoadTest, ProblemsAreShortAndPrintable) {
  const std::string text =
      Replaced("domain: User", "domain: \"" + std::string(100'000, 'x') + "\\e[31m\"");
  const auto problems = Problems(text);
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_LT(problems[0].size(), 500U);
  EXPECT_THAT(Problems(Replaced("domain: User", "domain: \"U\\e[31mser\\0\"")),
              ElementsAre(HasSubstr("is \"User\\x00\"; one of")));
  const RulesetLoad load = Ruleset::Load({{"a\x1b]0;\xff", "x: 1"}});
  ASSERT_THAT(load.problems, SizeIs(1));
  EXPECT_EQ(load.problems[0].file, "a\\x1b]0;\\xff");
}

TEST(LoadTest, TooManyDocumentsAreRefused) {
  const std::vector<RulesetDocument> documents(65, RulesetDocument{"x", ""});
  EXPECT_THAT(Words(Ruleset::Load(documents).problems),
              ElementsAre(" () 0:0: more than 64 documents; merge some of them"));
}

TEST(LoadTest, MergedRulesAreLimited) {
  std::vector<RulesetDocument> documents;
  for (int document = 0; document < 9; ++document) {
    std::string text = "tables:\n";
    for (int i = 0; i < 8; ++i) {
      text += "- {name: t" + std::to_string(document * 8 + i) + ", rows: []}\n";
    }
    documents.push_back({"d" + std::to_string(document), text});
  }
  const RulesetLoad load = Ruleset::Load(documents);
  ASSERT_THAT(load.problems, SizeIs(1));
  EXPECT_EQ(load.problems[0].file, "d8");
  EXPECT_EQ(Words(load.problems[0]),
            "tables[0].name (t64) 2:10: more than 64 tables when all rulesets are merged");
}

TEST(LoadTest, PathologicalRulesAreRefused) {
  std::string many = "extractors:\n";
  for (int i = 0; i < 10'000; ++i) {
    many += "- {name: r" + std::to_string(i) +
            ", symptom: a, sources: [AppLog], match: alpha, examples: {match: [alpha]}}\n";
  }
  EXPECT_THAT(Problems(many),
              ElementsAre("extractors () 2:1: 10000 items; at most 500 are allowed"));
  const auto with = [](const std::string& pattern) {
    return Problems(Replaced("'alpha (?P<value>\\d+)'", "'" + pattern + "'"));
  };
  EXPECT_THAT(with("alpha" + std::string(100'000, 'x')),
              ElementsAre(HasSubstr("100005 bytes long; at most 1024 are allowed")));
  std::string groups = "alpha";
  for (int i = 0; i < 500; ++i) groups += "()";
  EXPECT_THAT(with(groups), ElementsAre(HasSubstr("has 500 groups that capture; at most 32")));
  EXPECT_THAT(with("(?:(?:alpha{1,100}){1,100}){1,100}"),
              ElementsAre(HasSubstr("is no RE2 regular expression: ")));
}

TEST(LoadTest, TooManyAlternativesAreRefused) {
  std::string text =
      "catalog: [{id: a, title: A, domain: User, role: Root, scope: Process}]\nextractors:\n";
  int word = 0;
  for (int i = 0; i < 500; ++i) {
    std::string pattern;
    while (pattern.size() < 1000) {
      ++word;
      // The first letters differ: a common front would be taken out.
      for (int rest = word; pattern.empty() || pattern.back() != '.'; rest /= 26) {
        pattern += static_cast<char>('a' + rest % 26);
        if (rest < 26) pattern += std::string(3, static_cast<char>('a' + word % 26)) + ".";
      }
      pattern += "+|";
    }
    pattern.pop_back();
    text += "- {name: r" + std::to_string(i) + ", symptom: a, sources: [AppLog], match: '" +
            pattern + "', examples: {match: ['" + pattern.substr(0, pattern.find('+')) + "']}}\n";
  }
  EXPECT_THAT(
      Problems(text),
      ElementsAre(HasSubstr("51949 different literals, this rule for the most; at most 20000")));
}

TEST(LoadTest, APatternWithoutALiteralIsRefused) {
  EXPECT_THAT(
      Problems(Replaced("'alpha (?P<value>\\d+)'", "'\\d+ \\w+'")),
      ElementsAre("extractors[0].match (finds-a) 10:3: has no literal of at least 4 bytes that "
                  "every match contains, which would make every line slow; add some of the fixed "
                  "text"));
  EXPECT_THAT(Problems(Replaced("sources: [AppLog], match: 'alpha (?P<value>\\d+)'",
                                "sources: [AppLog], match: 'abcd|(?P<value>\\d+)'")),
              ElementsAre(HasSubstr("collectors[0].match (alphas) 23:3: has no literal")));
}

}  // namespace
}  // namespace engine
