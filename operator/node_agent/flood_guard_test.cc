// SPDX-License-Identifier: Apache-2.0
#include "operator/node_agent/flood_guard.h"

#include <gtest/gtest.h>

#include <chrono>

namespace app {
namespace {

const engine::Time kStart = *engine::ParseRfc3339("2026-12-01T04:00:00Z");

TEST(FloodGuardTest, ChatterIsCutAndErrorsPass) {
  FloodGuard guard;
  int printed = 0;
  for (int i = 0; i < 8'000; ++i) printed += guard.Admit(6, kStart) ? 1 : 0;
  EXPECT_EQ(printed, 5'000);
  EXPECT_TRUE(guard.Admit(3, kStart));
  EXPECT_EQ(guard.TakeDropped(), 3'000U);
  EXPECT_EQ(guard.TakeDropped(), 0U);
}

TEST(FloodGuardTest, FillsUpWithTime) {
  FloodGuard guard;
  while (guard.Admit(7, kStart)) {
  }
  int printed = 0;
  for (int i = 0; i < 1'000; ++i) {
    printed += guard.Admit(7, kStart + std::chrono::seconds(2)) ? 1 : 0;
  }
  EXPECT_EQ(printed, 100);
  // A clock that goes back gives nothing and breaks nothing.
  EXPECT_FALSE(guard.Admit(7, kStart));
}

}  // namespace
}  // namespace app
