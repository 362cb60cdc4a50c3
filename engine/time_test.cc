// SPDX-License-Identifier: Apache-2.0
#include "engine/time.h"

#include <gtest/gtest.h>

namespace engine {
namespace {

TEST(TimeTest, ReadsAndWritesRfc3339) {
  for (const char* text :
       {"2026-12-01T04:00:00Z", "2026-12-01T04:00:00.500Z", "2026-12-01T04:00:00.000001Z",
        "2026-12-01T04:00:00.123456789Z", "1969-12-31T23:59:59.999Z"}) {
    const auto time = ParseRfc3339(text);
    ASSERT_TRUE(time) << text;
    EXPECT_EQ(FormatTime(*time), text);
  }
  EXPECT_EQ(FormatTime(*ParseRfc3339("2026-12-01T04:00:00.5+02:00")), "2026-12-01T02:00:00.500Z");
}

TEST(TimeTest, RefusesWhatIsNone) {
  for (const char* text :
       {"", "2026-12-01", "2026-12-01T04:00:00", "2026-13-01T04:00:00Z", "2026-02-30T04:00:00Z",
        "2026-12-01T24:00:00Z", "2026-12-01T04:00:00.Z", "2026-12-01T04:00:00Zx",
        "2026-12-01T04:00:00.1234567890Z", "9999-12-01T04:00:00Z", "-026-12-01T04:00:00Z"}) {
    EXPECT_FALSE(ParseRfc3339(text)) << text;
  }
}

}  // namespace
}  // namespace engine
