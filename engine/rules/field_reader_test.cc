// SPDX-License-Identifier: Apache-2.0
#include "engine/rules/field_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace engine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class FieldReaderTest : public testing::Test {
 protected:
  // A reader of the one map in `text`.
  FieldReader& Read(const std::string& text) {
    documents_.clear();
    list_ = {.file = "f", .problems = {}};
    DocumentProblem problem;
    EXPECT_TRUE(ParseDocuments(text, &documents_, &problem)) << problem.message;
    reader_.emplace(documents_.at(0), "at", list_);
    reader_->SetRule("r");
    return *reader_;
  }
  std::vector<std::string> Problems() const {
    std::vector<std::string> words;
    for (const RulesetProblem& problem : list_.problems) {
      EXPECT_EQ(problem.file, "f");
      EXPECT_EQ(problem.rule, "r");
      words.push_back(problem.path + ' ' + std::to_string(problem.line) + ':' +
                      std::to_string(problem.column) + ": " + problem.message);
    }
    return words;
  }

  std::vector<DocumentNode> documents_;
  ProblemList list_;
  std::optional<FieldReader> reader_;
};

TEST_F(FieldReaderTest, Strings) {
  FieldReader& reader = Read("{a: x, b: '', c: ~, d: [x], e: 12345, f: \"x\\ny\", g: ''}");
  EXPECT_EQ(reader.RequiredString("a"), "x");
  EXPECT_EQ(reader.OptionalString("b"), "");
  EXPECT_EQ(reader.OptionalString("c"), "");
  EXPECT_EQ(reader.OptionalString("z"), "");
  EXPECT_THAT(Problems(), IsEmpty());
  EXPECT_EQ(reader.RequiredString("c"), "");
  EXPECT_EQ(reader.RequiredString("d"), "");
  EXPECT_EQ(reader.RequiredString("e", 4), "");
  EXPECT_EQ(reader.RequiredString("f"), "");
  EXPECT_EQ(reader.RequiredString("g"), "");
  EXPECT_EQ(reader.RequiredString("z"), "");
  EXPECT_THAT(Problems(),
              ElementsAre("at.c 1:18: is required", "at.d 1:24: expected a string, got a list",
                          "at.e 1:32: 5 bytes long; at most 4 are allowed",
                          "at.f 1:42: holds a line break or another control character; remove it "
                          "(in a pattern write \\n or \\x1b)",
                          "at.g 1:53: is required", "at.z 1:1: is required"));
}

TEST_F(FieldReaderTest, Integers) {
  FieldReader& reader =
      Read("{a: 7, b: 1.5, c: -1, d: 11, e: [1], f: '', g: 99999999999999999999}");
  EXPECT_EQ(reader.Integer("a", 3, 0, 10), 7);
  EXPECT_EQ(reader.Integer("z", 3, 0, 10), 3);
  EXPECT_THAT(Problems(), IsEmpty());
  for (const char* key : {"b", "c", "d", "e", "f", "g"}) {
    EXPECT_EQ(reader.Integer(key, 3, 0, 10), 3) << key;
  }
  EXPECT_THAT(Problems(),
              ElementsAre("at.b 1:11: is \"1.5\"; a whole number from 0 to 10 is expected",
                          "at.c 1:19: is \"-1\"; a whole number from 0 to 10 is expected",
                          "at.d 1:26: is \"11\"; a whole number from 0 to 10 is expected",
                          "at.e 1:33: is a list; a whole number from 0 to 10 is expected",
                          "at.f 1:41: is \"\"; a whole number from 0 to 10 is expected",
                          "at.g 1:48: is \"99999999999999999999\"; a whole number from 0 to 10 is "
                          "expected"));
}

TEST_F(FieldReaderTest, Lists) {
  FieldReader& reader = Read("{a: [x, y], b: [x, ~, '', {}, abc], c: x, d: []}");
  EXPECT_THAT(reader.Strings("a", 2), ElementsAre("x", "y"));
  EXPECT_THAT(reader.Strings("z", 2), IsEmpty());
  EXPECT_TRUE(reader.HasNone("z"));
  EXPECT_TRUE(reader.HasNone("d"));
  EXPECT_FALSE(reader.HasNone("a"));
  EXPECT_FALSE(reader.HasNone("c"));
  EXPECT_THAT(Problems(), IsEmpty());
  EXPECT_THAT(reader.Strings("a", 1), IsEmpty());
  EXPECT_THAT(reader.Strings("b", 9, 2), ElementsAre("x"));
  EXPECT_THAT(reader.Strings("c", 9), IsEmpty());
  EXPECT_THAT(Problems(),
              ElementsAre("at.a 1:5: 2 items; at most 1 are allowed", "at.b[1] 1:20: is empty",
                          "at.b[2] 1:23: is empty", "at.b[3] 1:27: expected a string, got a map",
                          "at.b[4] 1:31: 3 bytes long; at most 2 are allowed",
                          "at.c 1:40: expected a list, got a single value"));
}

TEST_F(FieldReaderTest, LinesMayHoldAnything) {
  FieldReader& reader = Read("{a: [\"\\e[1m\\0\", '', \"x\\ny\"], b: [[x], ~]}");
  EXPECT_THAT(reader.Lines("a", 3), ElementsAre(std::string("\x1b[1m\0", 5), "", "x\ny"));
  EXPECT_THAT(Problems(), IsEmpty());
  EXPECT_THAT(reader.Lines("b", 3), IsEmpty());
  EXPECT_THAT(Problems(), ElementsAre("at.b[0] 1:34: expected a string, got a list",
                                      "at.b[1] 1:39: expected a string, got nothing"));
}

TEST_F(FieldReaderTest, Choices) {
  FieldReader& reader = Read("{a: Yes, b: Maybe, c: [Yes]}");
  EXPECT_EQ(reader.Choice("a", {"No", "Yes"}, true), "Yes");
  EXPECT_EQ(reader.Choice("z", {"No", "Yes"}, false), "");
  EXPECT_THAT(Problems(), IsEmpty());
  EXPECT_EQ(reader.Choice("b", {"No", "Yes"}, false), "No");
  EXPECT_EQ(reader.Choice("b", {"Only"}, false), "Only");
  EXPECT_EQ(reader.Choice("c", {"No", "Yes"}, false), "No");
  EXPECT_EQ(reader.Choice("z", {"No", "Yes"}, true), "No");
  EXPECT_THAT(Problems(), ElementsAre("at.b 1:13: is \"Maybe\"; one of No, Yes is expected",
                                      "at.b 1:13: is \"Maybe\"; Only is expected",
                                      "at.c 1:23: is a list; one of No, Yes is expected",
                                      "at.z 1:1: is missing; one of No, Yes is expected"));
}

TEST_F(FieldReaderTest, SourcesByTheirOwnNamesOnly) {
  FieldReader& reader =
      Read("{a: [Kernel, AppLog], b: [applog, Kernel, Kernel], c: Event, d: k8s-event}");
  EXPECT_THAT(reader.Sources("a"), ElementsAre(Source::kKernel, Source::kAppLog));
  EXPECT_EQ(reader.OneSource("c"), Source::kEvent);
  EXPECT_THAT(Problems(), IsEmpty());
  EXPECT_THAT(reader.Sources("b"), ElementsAre(Source::kKernel));
  EXPECT_EQ(reader.OneSource("d"), std::nullopt);
  EXPECT_EQ(reader.OneSource("z"), std::nullopt);
  const std::string names =
      "one of AppLog, Kernel, Syslog, Kubelet, PodStatus, Event, NodeCondition, NodeMetric, "
      "Scheduler is expected";
  EXPECT_THAT(Problems(), ElementsAre("at.b 1:26: \"applog\" is no source; " + names,
                                      "at.b 1:26: \"Kernel\" stands twice",
                                      "at.d 1:65: is \"k8s-event\"; " + names,
                                      "at.z 1:1: is missing; " + names));
}

TEST_F(FieldReaderTest, Scopes) {
  FieldReader& reader = Read("{a: GPU, b: Pool}");
  EXPECT_EQ(reader.ReadScope("a", false), Scope::kGpu);
  EXPECT_EQ(reader.ReadScope("b", true), Scope::kPool);
  EXPECT_EQ(reader.ReadScope("z", false), Scope::kWorkload);
  EXPECT_THAT(Problems(), IsEmpty());
  reader.ReadScope("b", false);
  EXPECT_THAT(Problems(),
              ElementsAre("at.b 1:13: is \"Pool\"; one of Workload, Process, GPU, Node, "
                          "Fabric is expected"));
}

TEST_F(FieldReaderTest, MapsAndWhatIsNone) {
  FieldReader& reader = Read("{a: {x: 1}, b: [x], c: ~}");
  EXPECT_NE(reader.Map("a"), nullptr);
  EXPECT_EQ(reader.Map("z"), nullptr);
  EXPECT_THAT(Problems(), IsEmpty());
  EXPECT_EQ(reader.Map("b"), nullptr);
  EXPECT_EQ(reader.Map("c", true), nullptr);
  EXPECT_THAT(Problems(),
              ElementsAre("at.b 1:16: expected a map, got a list", "at.c 1:24: is required"));
  const DocumentNode list{.type = DocumentNode::Type::kList};
  ProblemList problems;
  const FieldReader none(list, "here", problems);
  ASSERT_THAT(problems.problems, SizeIs(1));
  EXPECT_EQ(problems.problems[0].message, "expected a map, got a list");
}

TEST_F(FieldReaderTest, WhatNobodyAskedForIsRefused) {
  FieldReader& reader = Read("{a: x,\n b: x,\n c: x}");
  reader.OptionalString("b");
  reader.OptionalString("z");
  reader.RefuseOthers();
  EXPECT_THAT(Problems(), ElementsAre("at.a 1:2: unknown field; known are b, z",
                                      "at.c 3:2: unknown field; known are b, z"));
}

TEST_F(FieldReaderTest, ProblemsAreCutAndPrintable) {
  const RulesetProblem problem = MakeProblem({.file = std::string(1000, 'f'),
                                              .path = "a\nb",
                                              .rule = "\xff",
                                              .message = std::string(5000, 'm') + "\x1b"});
  EXPECT_EQ(problem.file.size(), 256U);
  EXPECT_EQ(problem.path, "a\\x0ab");
  EXPECT_EQ(problem.rule, "\\xff");
  EXPECT_EQ(problem.message.size(), 1024U);
}

}  // namespace
}  // namespace engine
