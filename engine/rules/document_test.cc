// SPDX-License-Identifier: Apache-2.0
#include "engine/rules/document.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace engine {
namespace {

std::string Problem(const std::string& text) {
  std::vector<DocumentNode> documents;
  DocumentProblem problem;
  if (ParseDocuments(text, &documents, &problem)) return "none";
  return std::to_string(problem.line) + ':' + std::to_string(problem.column) + ": " +
         problem.message;
}

TEST(DocumentTest, RemembersPlaces) {
  std::vector<DocumentNode> documents;
  DocumentProblem problem;
  ASSERT_TRUE(ParseDocuments("a: 1\nb:\n  - x\n  - {c: ~}\n", &documents, &problem));
  ASSERT_EQ(documents.size(), 1U);
  const DocumentNode& root = documents[0];
  EXPECT_EQ(root.type, DocumentNode::Type::kMap);
  EXPECT_EQ(root.Find("a")->scalar, "1");
  EXPECT_EQ(root.Find("none"), nullptr);
  const DocumentNode& list = *root.Find("b");
  ASSERT_EQ(list.items.size(), 2U);
  EXPECT_EQ(list.items[0].line, 3);
  EXPECT_EQ(list.items[0].column, 5);
  const DocumentNode& null = *list.items[1].Find("c");
  EXPECT_EQ(null.type, DocumentNode::Type::kNull);
  EXPECT_EQ(null.line, 4);
  EXPECT_EQ(null.column, 9);
  EXPECT_EQ(list.items[1].keys[0].column, 6);
}

TEST(DocumentTest, AQuotedNullIsAString) {
  std::vector<DocumentNode> documents;
  DocumentProblem problem;
  ASSERT_TRUE(ParseDocuments("[null, ~, 'null', \"~\", '', ]", &documents, &problem));
  const std::vector<DocumentNode>& items = documents.at(0).items;
  ASSERT_EQ(items.size(), 5U);
  EXPECT_EQ(items[0].type, DocumentNode::Type::kNull);
  EXPECT_EQ(items[1].type, DocumentNode::Type::kNull);
  EXPECT_EQ(items[2].scalar, "null");
  EXPECT_EQ(items[3].scalar, "~");
  EXPECT_EQ(items[4].type, DocumentNode::Type::kScalar);
}

TEST(DocumentTest, EmptyDocumentsAreNone) {
  for (const std::string text : {"", "# only words\n", "---\n---\n", "~\n", "\xef\xbb\xbf"}) {
    std::vector<DocumentNode> documents;
    DocumentProblem problem;
    EXPECT_TRUE(ParseDocuments(text, &documents, &problem)) << text;
    EXPECT_TRUE(documents.empty()) << text;
  }
}

TEST(DocumentTest, SeveralInOneText) {
  std::vector<DocumentNode> documents;
  DocumentProblem problem;
  ASSERT_TRUE(ParseDocuments("a: 1\n---\n- b\n---\n# nothing\n---\nc: 2\n", &documents, &problem));
  ASSERT_EQ(documents.size(), 3U);
  EXPECT_EQ(documents[2].Find("c")->line, 7);
}

TEST(DocumentTest, WhatIsRefusedAndWhere) {
  EXPECT_EQ(Problem("a: &x [1]\nb: *x\n"), "2:4: aliases are not allowed; write the value out");
  EXPECT_EQ(Problem("a: {b: 1}\na: 2\n"), "2:1: \"a\" stands twice");
  EXPECT_EQ(Problem("? [a]\n: b\n"), "1:3: a key must be a string");
  EXPECT_EQ(Problem("~: b\n"), "1:1: a key must be a string");
  EXPECT_EQ(Problem("\"a\\nb\": c\n"), "1:1: a key must be printable");
  EXPECT_EQ(Problem("\"" + std::string(100, 'k') + "\": 1\n" + std::string(100, 'k') + ": 1\n"),
            "2:1: \"" + std::string(61, 'k') + "...\" stands twice");
  EXPECT_EQ(Problem(std::string(100, '[') + std::string(100, ']')), "1:33: more than 32 levels");
  EXPECT_EQ(Problem("a: b\nc: d\xff\n"), "2:5: is no UTF-8 text; save it as UTF-8");
  EXPECT_EQ(Problem(std::string("\xff\xfe"
                                "a\0",
                                4)),
            "1:1: is no UTF-8 text; save it as UTF-8");
  EXPECT_EQ(Problem(std::string(5 << 20, 'x')),
            "0:0: larger than 4 MiB; split it into several rulesets");
}

TEST(DocumentTest, MistakesAreToldInTheParsersWords) {
  EXPECT_EQ(Problem("a:\n\t- b\n").substr(0, 14), "2:2: is no YAM");
  EXPECT_EQ(Problem("a: b: c\n").substr(0, 14), "1:5: is no YAM");
  EXPECT_EQ(Problem("\"\\ud800\"").substr(0, 14), "1:8: is no YAM") << "half a character";
}

TEST(DocumentTest, ATextThatIsCutIsRefused) {
  EXPECT_EQ(Problem("a: 'b\n"),
            "3:1: ends too early, is a quote or bracket open? (illegal document indicator in "
            "scalar)");
  EXPECT_EQ(Problem("a: \"b").substr(0, 19), "2:1: ends too early");
  EXPECT_NE(Problem("a: [b,\n"), "none");
  EXPECT_NE(Problem("{a: b\n"), "none");
  EXPECT_EQ(Problem("a: |\n  b"), "none");
  EXPECT_EQ(Problem("a: b # c"), "none");
  EXPECT_EQ(Problem("a: b\n..."), "none");
}

// Small texts that are much work for careless readers.
TEST(DocumentTest, HostileTextsTakeNoTime) {
  const auto repeated = [](const std::string& part, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += part;
    return text;
  };
  std::string many_keys;
  for (int i = 0; i < 200'000; ++i) many_keys += "k" + std::to_string(i) + ": \n";
  for (const std::string& text :
       {many_keys, repeated("- ", 100'000), repeated("? ", 100'000), repeated("[", 100'000),
        repeated("{", 100'000), repeated("{a: ", 100'000), repeated("- a\n", 600'000),
        repeated("&a ", 100'000), repeated("!a ", 100'000), repeated("---\n", 300'000),
        repeated("\"", 100'001), repeated("a", 1'000'000), repeated("a: |\n", 100'000),
        repeated("%YAML 1.2\n", 100'000), repeated("a:", 100'000), repeated(",", 100'000)}) {
    const auto begin = std::chrono::steady_clock::now();
    Problem(text);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10))
        << text.substr(0, 20);
  }
}

}  // namespace
}  // namespace engine
