// SPDX-License-Identifier: Apache-2.0
#include "controllers/evidence/log_position.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace controllers {
namespace {

// A log as the kubelet keeps it; Since gives what it would send.
struct Log {
  std::vector<std::string> lines;
  std::vector<std::string> Since(const std::string& since) const {
    std::vector<std::string> sent;
    const auto from = engine::ParseRfc3339(since);
    for (const std::string& line : lines) {
      if (!from || *TimeOfLogLine(line) >= *from) sent.push_back(line);
    }
    return sent;
  }
};

const Log kLog{{"2026-12-01T04:00:00.000000001Z a", "2026-12-01T04:00:00.5Z b",
                "2026-12-01T04:00:01.7Z c", "2026-12-01T04:00:01.6Z d",  // stderr, stamped earlier
                "2026-12-01T04:00:01.7Z e", "2026-12-01T04:00:01.7Z e",  // the same twice
                "2026-12-01T04:00:02Z f", "2026-12-01T04:00:01.9Z g",    // back over the second
                "2026-12-01T04:00:09.1Z h"}};

TEST(LogPositionTest, EachLineOnceWhereverTheStreamIsCut) {
  for (std::size_t first = 0; first <= kLog.lines.size(); ++first) {
    for (std::size_t second = 0; second <= kLog.lines.size(); ++second) {
      LogPosition position;
      std::vector<std::string> taken;
      const auto read = [&](std::size_t count) {
        for (const std::string& line : kLog.Since(position.Resume())) {
          if (count-- == 0) return;
          if (position.Take(line)) taken.push_back(line);
        }
      };
      read(first);
      read(second);
      read(kLog.lines.size() + 1);
      EXPECT_EQ(taken, kLog.lines) << first << ", " << second;
      EXPECT_FALSE(position.lost());
    }
  }
}

TEST(LogPositionTest, StartsAtTheBeginning) {
  LogPosition position;
  EXPECT_EQ(position.Resume(), "");
  EXPECT_TRUE(position.Take(kLog.lines[0]));
  EXPECT_EQ(position.Resume(), "2026-12-01T03:59:59Z");
  EXPECT_EQ(position.first(), engine::ParseRfc3339("2026-12-01T04:00:00.000000001Z"));
}

TEST(LogPositionTest, NoticesThatTheLogWasRotatedAway) {
  LogPosition position;
  position.Take(kLog.lines[0]);
  position.Resume();
  EXPECT_TRUE(position.Take("2026-12-01T04:00:05Z later"));
  EXPECT_TRUE(position.lost());
}

TEST(LogPositionTest, LinesWithoutATimeAreTaken) {
  LogPosition position;
  EXPECT_TRUE(position.Take("unexpected"));
  EXPECT_TRUE(position.Take(""));
  EXPECT_FALSE(position.first().has_value());
  EXPECT_EQ(position.Resume(), "");
}

}  // namespace
}  // namespace controllers
