// SPDX-License-Identifier: Apache-2.0
#include "kube/workqueue_state.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace kube {
namespace {

using std::chrono::milliseconds;
using Time = WorkQueueState::Time;

const Request kA{"ns", "a"};
const Request kB{"ns", "b"};
Time At(int ms) { return Time(milliseconds(ms)); }

TEST(WorkQueueStateTest, AnItemThatIsWorkedOnWaitsAgainAfterwards) {
  WorkQueueState state;
  EXPECT_TRUE(state.Add(kA, At(0)));
  EXPECT_FALSE(state.Add(kA, At(1)));
  EXPECT_EQ(state.Take(At(2))->added, At(0));
  EXPECT_TRUE(state.Add(kA, At(3)));
  EXPECT_FALSE(state.Add(kA, At(4)));
  EXPECT_EQ(state.Take(At(5)), std::nullopt);
  EXPECT_EQ(state.Done(kA, At(6)), At(2));
  EXPECT_EQ(state.Take(At(7))->added, At(6));
  EXPECT_EQ(state.Done(kA, At(8)), At(7));
  EXPECT_EQ(state.Done(kA, At(9)), std::nullopt);
  EXPECT_EQ(state.Take(At(10)), std::nullopt);
}

TEST(WorkQueueStateTest, TheEarlierOfTwoTimesCounts) {
  WorkQueueState state;
  state.AddAt(kA, At(100));
  state.AddAt(kA, At(50));
  state.AddAt(kA, At(70));
  state.AddAt(kB, At(60));
  EXPECT_EQ(state.NextDue(), At(50));
  EXPECT_EQ(state.AddDue(At(49)), 0);
  EXPECT_EQ(state.AddDue(At(50)), 1);
  EXPECT_EQ(state.Take(At(50))->item, kA);
  EXPECT_EQ(state.NextDue(), At(60));
  state.ForgetDelayed();
  EXPECT_EQ(state.NextDue(), std::nullopt);
  EXPECT_EQ(state.AddDue(At(1'000)), 0);
}

// Compared with a model that is obviously right: a set of what must still be looked at.
TEST(WorkQueueStateTest, NothingIsLostAndNothingIsWithTwo) {
  std::mt19937 random(7);
  WorkQueueState state;
  std::set<Request> owed;
  std::map<Request, int> later;
  std::set<Request> working;
  for (int now = 0; now < 50'000; ++now) {
    const Request item{"ns", std::string(1, static_cast<char>('a' + random() % 6))};
    switch (random() % 4) {
      case 0:
        state.Add(item, At(now));
        owed.insert(item);
        break;
      case 1: {
        const int when = now + 1 + static_cast<int>(random() % 20);
        state.AddAt(item, At(when));
        const auto [known, is_new] = later.try_emplace(item, when);
        known->second = std::min(known->second, when);
        break;
      }
      case 2:
        if (const auto taken = state.Take(At(now))) {
          EXPECT_TRUE(working.insert(taken->item).second) << "with two workers";
          EXPECT_EQ(owed.erase(taken->item), 1U) << "nobody asked";
        }
        break;
      default:
        EXPECT_EQ(state.Done(item, At(now)).has_value(), working.erase(item) == 1);
    }
    state.AddDue(At(now));
    std::erase_if(later, [&](const auto& entry) {
      if (entry.second > now) return false;
      owed.insert(entry.first);
      return true;
    });
    std::size_t ready = 0;
    for (const Request& waiting : owed) ready += working.contains(waiting) ? 0 : 1;
    ASSERT_EQ(state.Ready(), ready) << now;
  }
}

}  // namespace
}  // namespace kube
