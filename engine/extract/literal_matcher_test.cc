// SPDX-License-Identifier: Apache-2.0
#include "engine/extract/literal_matcher.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <thread>

namespace engine {
namespace {

// "end:literal ..." in the order of both.
std::string Found(const LiteralMatcher& matcher, std::string_view text) {
  std::vector<LiteralHit> hits;
  matcher.Scan(text, hits);
  EXPECT_TRUE(std::is_sorted(hits.begin(), hits.end(),
                             [](const auto& a, const auto& b) { return a.end < b.end; }));
  std::sort(hits.begin(), hits.end(), [](const auto& a, const auto& b) {
    return a.end != b.end ? a.end < b.end : a.literal < b.literal;
  });
  std::string found;
  for (const LiteralHit& hit : hits) {
    found += std::to_string(hit.end) + ":" + std::to_string(hit.literal) + " ";
  }
  return found;
}

std::string FoundSlowly(const std::vector<std::string>& literals, std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  std::string found;
  for (std::size_t end = 1; end <= text.size(); ++end) {
    for (std::size_t i = 0; i < literals.size(); ++i) {
      if (std::string_view(text).substr(0, end).ends_with(literals[i])) {
        found += std::to_string(end) + ":" + std::to_string(i) + " ";
      }
    }
  }
  return found;
}

TEST(LiteralMatcherTest, FindsWhatALoopFinds) {
  std::string error;
  const std::vector<std::string> literals = {"abab", "babab", "c: [\\", "\xc3\xa9t\xc3\xa9"};
  const auto matcher = LiteralMatcher::Compile(literals, &error);
  ASSERT_NE(matcher, nullptr) << error;
  std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): the same texts each time
  for (int i = 0; i < 200; ++i) {
    std::string text;
    for (int piece = 0; piece < 40; ++piece) {
      text += random() % 4 == 0 ? literals[random() % literals.size()]
                                : std::string(1, "aAbBcC:\xc3\xa9\n"[random() % 9]);
    }
    EXPECT_EQ(Found(*matcher, text), FoundSlowly(literals, text)) << text;
  }
}

TEST(LiteralMatcherTest, OutlivesItsBytes) {
  std::string error;
  std::string bytes = LiteralMatcher::Compile({"needle", "other"}, &error)->Serialize();
  const auto matcher = LiteralMatcher::Deserialize(bytes);
  bytes.assign(bytes.size(), '\0');
  ASSERT_NE(matcher, nullptr);
  EXPECT_EQ(Found(*matcher, "a NEEDLE"), "8:0 ");
}

TEST(LiteralMatcherTest, BytesOfAnotherKindAreRefused) {
  EXPECT_EQ(LiteralMatcher::Deserialize(""), nullptr);
  EXPECT_EQ(LiteralMatcher::Deserialize(std::string(1000, 'x')), nullptr);
}

TEST(LiteralMatcherTest, ManyThreadsAtOnce) {
  std::string error;
  const auto matcher = LiteralMatcher::Compile({"needle"}, &error);
  const std::string text = std::string(100'000, '.') + "needle";
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) EXPECT_EQ(Found(*matcher, text), "100006:0 ");
    });
  }
}

}  // namespace
}  // namespace engine
