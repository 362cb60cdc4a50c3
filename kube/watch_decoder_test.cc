// SPDX-License-Identifier: Apache-2.0
#include "kube/watch_decoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "kube/scripted_stream.h"

namespace kube {
namespace {

constexpr char kStream[] =
    R"({"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":"1"}}})"
    "\n"
    R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"7"}}})"
    "\n\n"
    R"({"type":"DELETED","object":{"metadata":{"name":"a","note":"line\nbreak \u00e9"}}})"
    "\n";

std::string Decode(ByteStream& stream) {
  WatchDecoder decoder(stream);
  std::string events;
  for (;;) {
    const WatchDecoder::Next next = decoder.Read(std::chrono::seconds(1));
    if (next.end) return events;
    events += next.event ? std::to_string(static_cast<int>(next.event->type)) +
                               NameOf(next.event->object) + ' '
                         : "? ";
  }
}

TEST(WatchDecoderTest, EveryCutGivesTheSameEvents) {
  const std::string text = kStream;
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    ScriptedStream stream({text.substr(0, cut), text.substr(cut)});
    EXPECT_EQ(Decode(stream), "0a 3 2a ") << cut;
  }
  std::deque<std::string> bytes;
  for (const char c : text) bytes.emplace_back(1, c);
  ScriptedStream stream(std::move(bytes));
  EXPECT_EQ(Decode(stream), "0a 3 2a ");
}

// What an API server sent while a Job failed, less managedFields and specs.
TEST(WatchDecoderTest, EveryCutOfARecordedWatchGivesTheSameEvents) {
  std::ifstream file("kube/testdata/watch-pods.jsonl");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  ASSERT_FALSE(text.empty()) << "run in the source folder";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    ScriptedStream stream({text.substr(0, cut), text.substr(cut)});
    ASSERT_EQ(Decode(stream), "0highjob-0-jl486 3 1fail-idx-0-bkhsf 2fail-idx-0-bkhsf ") << cut;
    if (cut % 16 != 0) continue;
    // The connection ends here: whole events count, a part of one doesn't.
    ScriptedStream ended({text.substr(0, cut)});
    const auto whole = std::count(text.begin(), text.begin() + static_cast<long>(cut), '\n');
    const std::string events = Decode(ended);
    ASSERT_EQ(std::count(events.begin(), events.end(), ' '), whole) << cut;
  }
}

TEST(WatchDecoderTest, GarbageIsToldAndPassedOver) {
  ScriptedStream stream({"no json\n{\"type\":\"NEW\",\"object\":{}}\n[]\n", kStream});
  EXPECT_EQ(Decode(stream), "? ? ? 0a 3 2a ");
}

TEST(WatchDecoderTest, AnEventThatWasCutIsNone) {
  ScriptedStream orderly({R"({"type":"ADDED","object":{)"});
  EXPECT_EQ(Decode(orderly), "");
  ScriptedStream cut({std::string(kStream), R"({"type":)"}, ScriptedStream::End::kCut);
  EXPECT_THROW(Decode(cut), ApiError);
}

TEST(WatchDecoderTest, AnEndlessEventIsRefused) {
  std::deque<std::string> pieces;
  for (int i = 0; i < 20; ++i) pieces.emplace_back(1 << 20, 'x');
  ScriptedStream stream(std::move(pieces));
  EXPECT_THROW(Decode(stream), ApiError);
}

}  // namespace
}  // namespace kube
