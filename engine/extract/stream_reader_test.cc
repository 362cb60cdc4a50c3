// SPDX-License-Identifier: Apache-2.0
#include "engine/extract/stream_reader.h"

#include <gtest/gtest.h>

namespace engine {
namespace {

constexpr char kRules[] = R"yaml(
catalog:
- {id: lost, title: Lost, domain: Hardware, role: Root, scope: GPU, establishedBy: [Kernel]}
- {id: failed, title: Failed, domain: User, role: Root, scope: Process, establishedBy: [AppLog]}
- {id: remap, title: Remap, domain: Hardware, role: Root, scope: GPU, establishedBy: [NodeMetric]}
extractors:
- name: lost-in-three-lines
  symptom: lost
  sources: [Kernel]
  match: '^NVRM: The NVIDIA GPU (?P<pci>\S+)'
  unless: 'simulated'
  record: {continue: '^\s*NVRM: ', require: 'fallen off the bus', maxLines: 3, maxSeconds: 2}
  examples: {match: ["NVRM: The NVIDIA GPU 0000:3b:00.0\nNVRM: fallen off the bus"], noMatch: ['x']}
- name: failure
  symptom: failed
  sources: [AppLog]
  match: '^RuntimeError: (?P<value>\S+)'
  unless: 'caught'
  examples: {match: ['RuntimeError: x'], noMatch: ['a RuntimeError: x']}
- name: remaps
  symptom: remap
  sources: [NodeMetric]
  match: '^remap_failures\{pci="(?P<pci>[^"]+)"\} (?P<value>\d+)'
  counter: {increaseAtLeast: 1, withinSeconds: 3600, scope: GPU}
  examples: {match: ["remap_failures{pci=\"0:3b:0\"} 0\nremap_failures{pci=\"0:3b:0\"} 1"], noMatch: ['x']}
collectors:
- {name: version, sources: [AppLog], match: 'torch version (?P<value>\S+)', take: Last}
)yaml";

const CompiledRuleset& Rules() {
  static const auto load = Ruleset::Load({{"test", kRules}});
  return CompiledRuleset::From(*load.ruleset);
}

StreamReader Reader(Source source, Framing framing = Framing::kDetect) {
  return StreamReader(Rules(), {.id = "s", .source = source, .framing = framing, .node = "n1"}, {});
}

std::vector<Event> Events(Source source, const std::string& text) {
  StreamReader reader = Reader(source);
  reader.Feed(text);
  reader.Finish();
  return reader.Contents().events;
}

TEST(StreamReaderTest, ARecordSpansLines) {
  const auto events = Events(Source::kKernel,
                             "[1.000001] NVRM: The NVIDIA GPU 0000:b3:00.0\n"
                             "           NVRM: (PCI ID: 10de:26b5)\n"
                             "           NVRM: fallen off the bus.\n"
                             "[1.2] next\n");
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].pci_address, "0000:b3:00");
  EXPECT_EQ(events[0].line_number, 1);
  EXPECT_NE(events[0].line.find("fallen off the bus"), std::string::npos);
  EXPECT_EQ(events[0].after, std::vector<std::string>{"[1.2] next"});
}

TEST(StreamReaderTest, ARecordIsOneOnlyAsAWhole) {
  EXPECT_TRUE(
      Events(Source::kKernel, "NVRM: The NVIDIA GPU 0000:b3:00.0\nNVRM: is fine\n").empty());
  EXPECT_TRUE(Events(Source::kKernel,
                     "NVRM: The NVIDIA GPU 0000:b3:00.0\nother\nNVRM: fallen off the bus\n")
                  .empty())
      << "interrupted";
  EXPECT_TRUE(Events(Source::kKernel,
                     "NVRM: The NVIDIA GPU 1:0:0\nNVRM: a\nNVRM: b\nNVRM: fallen off the bus\n")
                  .empty())
      << "too long";
  EXPECT_TRUE(
      Events(Source::kKernel, "[1.0] NVRM: The NVIDIA GPU 1:0:0\n[9.0] NVRM: fallen off the bus\n")
          .empty())
      << "too late";
  EXPECT_TRUE(
      Events(Source::kKernel, "NVRM: The NVIDIA GPU 1:0:0\nNVRM: simulated: fallen off the bus\n")
          .empty());
}

TEST(StreamReaderTest, ARecordCountsBeforeItIsKnownToHaveEnded) {
  StreamReader reader = Reader(Source::kKernel, Framing::kBare);
  reader.FeedLine(std::nullopt, "NVRM: The NVIDIA GPU 0000:b3:00.0");
  EXPECT_TRUE(reader.Contents().events.empty());
  reader.FeedLine(std::nullopt, "NVRM: fallen off the bus.");
  EXPECT_EQ(reader.Contents().events.size(), 1U);
  reader.FeedLine(std::nullopt, "next");
  EXPECT_EQ(reader.Contents().events.size(), 1U);
}

TEST(StreamReaderTest, AnUndatedLineTakesTheTimeAboveIt) {
  const std::string text =
      "2026-12-01T04:00:00Z RuntimeError: first\n"
      "2026-12-01T05:00:00Z step 1\n"
      "Traceback (most recent call last):\n"
      "RuntimeError: second\n";
  for (std::size_t chunk = 1; chunk <= text.size(); ++chunk) {
    StreamReader reader(Rules(), {.id = "s", .source = Source::kAppLog}, {});
    for (std::size_t at = 0; at < text.size(); at += chunk) {
      reader.Feed(std::string_view(text).substr(at, chunk));
    }
    reader.Finish();
    const auto events = reader.Contents().events;
    ASSERT_EQ(events.size(), 1U) << "the same at the same place";
    EXPECT_FALSE(events[0].time_is_floor);
    EXPECT_EQ(FormatTime(events[0].last_time), "2026-12-01T05:00:00Z") << chunk;
  }
}

TEST(StreamReaderTest, ColoursDoNotHideTheMessage) {
  const auto events =
      Events(Source::kAppLog, "2026-12-01T05:00:00Z step\n\x1b[31mRuntime\x1b[1mError: \x1b[0mx\n");
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].line, "RuntimeError: x");
  EXPECT_TRUE(events[0].time_is_floor);
  EXPECT_EQ(FormatTime(events[0].time), "2026-12-01T05:00:00Z");
}

TEST(StreamReaderTest, UnlessLooksAtTheSameLineOnly) {
  EXPECT_TRUE(Events(Source::kAppLog, "RuntimeError: x (caught)\n").empty());
  EXPECT_EQ(Events(Source::kAppLog, "caught\nRuntimeError: x\ncaught\n").size(), 1U);
}

TEST(StreamReaderTest, OtherSourcesRulesAreNotItsOwn) {
  EXPECT_TRUE(Events(Source::kKernel, "RuntimeError: x\n").empty());
}

TEST(StreamReaderTest, CountersByRises) {
  const auto events = Events(Source::kNodeMetric,
                             "2026-12-01T04:00:00Z remap_failures{pci=\"0000:3b:00\"} 1\n"
                             "2026-12-01T04:10:00Z remap_failures{pci=\"0000:3b:00\"} 1\n"
                             "2026-12-01T04:20:00Z remap_failures{pci=\"0000:3b:00\"} 2\n");
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].line_number, 3);
  EXPECT_EQ(events[0].count, 1);
}

TEST(StreamReaderTest, CollectorsTakeWhatTheyAreToldTo) {
  StreamReader reader = Reader(Source::kAppLog);
  reader.Feed("torch version 2.1\ntorch version 2.2\n");
  reader.Finish();
  const auto facts = reader.Contents().facts;
  ASSERT_EQ(facts.size(), 1U);
  EXPECT_EQ(facts.at(0).Report(Rules().model().collectors[0]).value, "2.2");
}

TEST(StreamReaderTest, ALogThatIsNothingButSymptomsIsBounded) {
  StreamReader reader = Reader(Source::kAppLog);
  std::string text;
  for (int i = 0; i < 5'000; ++i) {
    text += "[rank" + std::to_string(i) + "]: RuntimeError: " + std::string(20'000, 'x') + "\n";
  }
  reader.Feed(text);
  reader.Finish();
  const StreamContents contents = reader.Contents();
  std::size_t bytes = 0;
  for (const Event& event : contents.events) {
    bytes += event.line.size();
    for (const std::string& line : event.before) bytes += line.size();
    for (const std::string& line : event.after) bytes += line.size();
    for (const auto& [name, value] : event.captures) bytes += value.size();
  }
  EXPECT_LE(contents.events.size(), 256U);
  EXPECT_LE(bytes, 4U << 20U);
  EXPECT_EQ(contents.lines, 5'000);
}

}  // namespace
}  // namespace engine
