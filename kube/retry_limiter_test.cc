// SPDX-License-Identifier: Apache-2.0
#include "kube/retry_limiter.h"

#include <gtest/gtest.h>

namespace kube {
namespace {

using std::chrono::milliseconds;
using Time = RetryLimiter::Time;

const Request kA{"ns", "a"};

TEST(RetryLimiterTest, AnItemsDelayDoublesToTheLimitAndIsForgotten) {
  RetryLimiter limiter({});
  Time now{};
  for (int failures = 0; failures < 80; ++failures) {
    const milliseconds expected =
        failures < 18 ? milliseconds(5) * (1 << failures) : milliseconds(1'000'000);
    EXPECT_EQ(limiter.DelayOf(kA, now), expected) << failures;
    now += std::chrono::seconds(1);
  }
  EXPECT_EQ(limiter.Failures(kA), 80);
  limiter.Forget(kA);
  EXPECT_EQ(limiter.Failures(kA), 0);
  EXPECT_EQ(limiter.DelayOf(kA, now), milliseconds(5));
}

TEST(RetryLimiterTest, AllTogetherTenASecondAfterABurst) {
  RetryLimiter limiter({});
  const Time now{};
  const auto delay = [&](int item, Time at) {
    return limiter.DelayOf({"ns", std::to_string(item)}, at);
  };
  for (int i = 0; i < 100; ++i) EXPECT_EQ(delay(i, now), milliseconds(5)) << i;
  EXPECT_EQ(delay(100, now), milliseconds(100));
  EXPECT_EQ(delay(101, now), milliseconds(200));
  // A second later ten tokens came, two of them promised.
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(delay(200 + i, now + std::chrono::seconds(1)), milliseconds(5)) << i;
  }
  EXPECT_EQ(delay(300, now + std::chrono::seconds(1)), milliseconds(100));
}

}  // namespace
}  // namespace kube
