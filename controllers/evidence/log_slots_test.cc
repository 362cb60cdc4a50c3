// SPDX-License-Identifier: Apache-2.0
#include "controllers/evidence/log_slots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>

namespace controllers {
namespace {

using namespace std::chrono_literals;
using Next = LogSlots::Next;
using Priority = LogSlots::Priority;

// Waits for a condition, not for a time.
template <typename Condition>
bool Eventually(const Condition& condition) {
  for (int i = 0; i < 5000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(1ms);
  }
  return false;
}

void UntilStopped(LogSlots::Turn& turn) {
  std::mutex mutex;
  std::condition_variable_any sleep;
  std::unique_lock lock(mutex);
  sleep.wait(lock, turn.stop(), [] { return false; });
}

class LogSlotsTest : public testing::Test {
 protected:
  std::unique_ptr<kube::MetricsRegistry> metrics_ = kube::NewMetricsRegistry();
};

TEST_F(LogSlotsTest, NoMoreThanAllowedAtATime) {
  LogSlots slots(3, 2, *metrics_);
  std::mutex mutex;
  std::map<std::string, int> now;
  int all = 0;
  std::atomic<int> done{0};
  std::atomic<bool> too_many{false};
  std::vector<std::unique_ptr<LogSlots::Ticket>> tickets;
  for (int i = 0; i < 60; ++i) {
    const std::string node = "n" + std::to_string(i % 3);
    tickets.push_back(slots.Add(node, Priority::kUnread, [&, node](LogSlots::Turn&) {
      {
        const std::lock_guard lock(mutex);
        if (++now[node] > 2 || ++all > 3) too_many = true;
      }
      std::this_thread::sleep_for(1ms);
      const std::lock_guard lock(mutex);
      --now[node];
      --all;
      ++done;
      return Next::kDone;
    }));
  }
  EXPECT_TRUE(Eventually([&] { return done == 60; }));
  EXPECT_FALSE(too_many);
}

TEST_F(LogSlotsTest, AFailedPodsLogTakesThePlaceOfAFollowedOne) {
  LogSlots slots(8, 1, *metrics_);
  std::atomic<int> turns{0};
  const auto followed = slots.Add("n1", Priority::kUnread, [&](LogSlots::Turn& turn) {
    ++turns;
    turn.CaughtUp();
    UntilStopped(turn);
    return Next::kAgain;
  });
  ASSERT_TRUE(Eventually([&] { return turns == 1; }));
  std::atomic<bool> read{false};
  const auto failed = slots.Add("n1", Priority::kFailed, [&](LogSlots::Turn&) {
    read = true;
    return Next::kDone;
  });
  EXPECT_TRUE(Eventually([&] { return read.load(); }));
  EXPECT_TRUE(Eventually([&] { return turns == 2; })) << "the followed one goes on afterwards";
}

TEST_F(LogSlotsTest, EqualsWaitForEachOther) {
  LogSlots slots(8, 1, *metrics_);
  std::atomic<bool> running{false};
  std::atomic<bool> finish{false};
  std::atomic<bool> stopped{false};
  const auto first = slots.Add("n1", Priority::kFailed, [&](LogSlots::Turn& turn) {
    running = true;
    while (!finish && !turn.stop().stop_requested()) std::this_thread::sleep_for(1ms);
    stopped = turn.stop().stop_requested();
    return Next::kDone;
  });
  ASSERT_TRUE(Eventually([&] { return running.load(); }));
  std::atomic<bool> second_ran{false};
  const auto second = slots.Add("n1", Priority::kFailed, [&](LogSlots::Turn&) {
    second_ran = true;
    return Next::kDone;
  });
  std::this_thread::sleep_for(20ms);
  EXPECT_FALSE(second_ran);
  finish = true;
  EXPECT_TRUE(Eventually([&] { return second_ran.load(); }));
  EXPECT_FALSE(stopped);
}

TEST_F(LogSlotsTest, AParkedReadComesBackWhenWoken) {
  LogSlots slots(8, 1, *metrics_);
  std::atomic<int> turns{0};
  const auto ticket = slots.Add("n1", Priority::kUnread, [&](LogSlots::Turn&) {
    return ++turns == 1 ? Next::kPark : Next::kDone;
  });
  ASSERT_TRUE(Eventually([&] { return turns == 1; }));
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(turns, 1);
  ticket->Wake(Priority::kFailed);
  EXPECT_TRUE(Eventually([&] { return turns == 2; }));
}

TEST_F(LogSlotsTest, ATicketsEndIsItsReadsEnd) {
  LogSlots slots(1, 1, *metrics_);
  std::atomic<bool> running{false};
  std::atomic<bool> ended{false};
  auto ticket = slots.Add("n1", Priority::kUnread, [&](LogSlots::Turn& turn) {
    running = true;
    UntilStopped(turn);
    ended = true;
    return Next::kAgain;
  });
  auto waiting = slots.Add("n1", Priority::kUnread, [](LogSlots::Turn&) { return Next::kDone; });
  ASSERT_TRUE(Eventually([&] { return running.load(); }));
  waiting.reset();
  ticket.reset();
  EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace controllers
