// SPDX-License-Identifier: Apache-2.0
#include "engine/rules/prepared_rules.h"

#include <gtest/gtest.h>

#include "engine/extract/literal_matcher.h"
#include "engine/extract/matchers_impl.h"
#include "engine/extract/required_literals.h"
#include "engine/rules/compiled_ruleset.h"

namespace engine {
namespace {

void ExpectSame(const DocumentNode& a, const DocumentNode& b) {
  ASSERT_EQ(a.type, b.type);
  ASSERT_EQ(a.scalar, b.scalar);
  ASSERT_EQ(a.line, b.line);
  ASSERT_EQ(a.column, b.column);
  ASSERT_EQ(a.items.size(), b.items.size());
  ASSERT_EQ(a.keys.size(), b.keys.size());
  for (std::size_t i = 0; i < a.items.size(); ++i) ExpectSame(a.items[i], b.items[i]);
  for (std::size_t i = 0; i < a.keys.size(); ++i) {
    ExpectSame(a.keys[i], b.keys[i]);
    ExpectSame(a.values[i], b.values[i]);
  }
}

TEST(PreparedRulesTest, KnowsOfTheBuiltinRulesWhatReadingThemAgainGives) {
  const PreparedRules& prepared = PreparedRules::Builtin();
  ASSERT_FALSE(prepared.documents().empty());
  for (const RulesetDocument& document : prepared.documents()) {
    std::vector<DocumentNode> nodes;
    DocumentProblem problem;
    ASSERT_TRUE(ParseDocuments(document.text, &nodes, &problem));
    const auto known = prepared.FindParsed(document.text);
    ASSERT_TRUE(known);
    ASSERT_EQ(known->size(), nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) ExpectSame((*known)[i], nodes[i]);
  }
  const RulesetLoad load = Ruleset::Load(prepared.documents());
  ASSERT_NE(load.ruleset, nullptr);
  const CompiledRuleset& ruleset = CompiledRuleset::From(*load.ruleset);
  for (const ExtractorRule& rule : ruleset.model().extractors) {
    const PreparedPattern* const known = prepared.FindPattern(rule.match);
    ASSERT_NE(known, nullptr) << rule.name;
    EXPECT_EQ(known->literals, RequiredLiterals(rule.match)) << rule.name;
  }
  const Matchers::Impl& matchers = ruleset.matchers().impl();
  for (std::size_t i = 0; i < kSourceCount; ++i) {
    const auto source = static_cast<Source>(i);
    if (matchers.matcher(source) == nullptr) continue;
    const std::string_view known = prepared.FindMatcher(matchers.literals(source));
    EXPECT_NE(LiteralMatcher::Deserialize(known), nullptr) << ToString(source);
  }
}

TEST(PreparedRulesTest, KnowsNothingElse) {
  const PreparedRules& prepared = PreparedRules::Builtin();
  EXPECT_FALSE(prepared.FindParsed("catalog: []"));
  EXPECT_EQ(prepared.FindPattern("another pattern"), nullptr);
  EXPECT_TRUE(prepared.FindMatcher({"another", "literal"}).empty());
  EXPECT_TRUE(PreparedRules(std::string_view()).documents().empty());
}

TEST(PreparedRulesTest, ReadsWhatItWrote) {
  PreparedRules::Contents contents;
  contents.documents = {{"a", "text"}, {"b", ""}};
  contents.parsed.resize(2);
  contents.parsed[0].emplace_back().line = 7;
  contents.patterns["p"] = {{"value"}, {"four", "five"}};
  contents.matchers[PreparedRules::Join({"x", "yz"})] = std::string("\0bytes", 6);
  const std::string bytes = PreparedRules::Encode(contents);
  const PreparedRules read(bytes);
  ASSERT_EQ(read.documents().size(), 2U);
  EXPECT_EQ(read.documents()[1].name, "b");
  EXPECT_EQ(read.FindParsed("text")->at(0).line, 7);
  EXPECT_EQ(read.FindPattern("p")->literals, (std::vector<std::string>{"four", "five"}));
  EXPECT_EQ(read.FindMatcher({"x", "yz"}), std::string_view("\0bytes", 6));
  EXPECT_TRUE(read.FindMatcher({"xy", "z"}).empty());
  EXPECT_THROW(PreparedRules{std::string_view(bytes).substr(0, bytes.size() - 1)},
               std::logic_error);
}

}  // namespace
}  // namespace engine
