// SPDX-License-Identifier: Apache-2.0
#include "kube/workqueue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace kube {
namespace {

using std::chrono::milliseconds;

const Request kA{"ns", "a"};
const Request kB{"ns", "b"};

TEST(WorkQueueTest, TheSameItemIsQueuedOnce) {
  const auto queue = NewWorkQueue({.name = "q"});
  queue->Add(kA);
  queue->Add(kA);
  queue->Add(kB);
  EXPECT_EQ(queue->Size(), 2U);
  EXPECT_EQ(queue->Get(), kA);
  // Added while it is worked on: again afterwards, not beside.
  queue->Add(kA);
  EXPECT_EQ(queue->Get(), kB);
  EXPECT_EQ(queue->Size(), 0U);
  queue->Done(kA);
  EXPECT_EQ(queue->Get(), kA);
}

TEST(WorkQueueTest, TheEarlierOfTwoDelaysCounts) {
  const auto queue = NewWorkQueue({.name = "q"});
  queue->AddAfter(kA, milliseconds(60'000));
  queue->AddAfter(kA, milliseconds(10));
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(queue->Get(), kA);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(5));
}

TEST(WorkQueueTest, FailuresBackOffUntilForgotten) {
  const auto queue = NewWorkQueue({.name = "q", .base_delay = milliseconds(1)});
  for (int i = 0; i < 3; ++i) {
    queue->AddRateLimited(kA);
    EXPECT_EQ(queue->Get(), kA);
    queue->Done(kA);
  }
  EXPECT_EQ(queue->Retries(kA), 3);
  queue->Forget(kA);
  EXPECT_EQ(queue->Retries(kA), 0);
}

TEST(WorkQueueTest, ShutDownDrainsAndWakes) {
  const auto queue = NewWorkQueue({.name = "q"});
  queue->Add(kA);
  queue->AddAfter(kB, milliseconds(60'000));
  std::jthread later([&] {
    std::this_thread::sleep_for(milliseconds(20));
    queue->ShutDown();
  });
  EXPECT_EQ(queue->Get(), kA);
  EXPECT_EQ(queue->Get(), std::nullopt);
  queue->Add(kA);
  EXPECT_EQ(queue->Get(), std::nullopt);
}

// The worker that waits for the time takes an item that is ready: another must wait in its place.
TEST(WorkQueueTest, ABusyWorkerDoesNotKeepWhatIsDue) {
  const auto queue = NewWorkQueue({.name = "q"});
  std::mutex mutex;
  std::condition_variable changed;
  std::set<std::string> taken;
  int begun = 0;     // rounds of a
  int released = 0;  // of them
  std::vector<std::jthread> workers;
  for (int i = 0; i < 2; ++i) {
    workers.emplace_back([&] {
      while (const auto item = queue->Get()) {
        std::unique_lock lock(mutex);
        taken.insert(item->name);
        changed.notify_all();
        if (*item == kA) {
          const int round = ++begun;
          changed.wait(lock, [&] { return released >= round; });
        }
        queue->Done(*item);
      }
    });
  }
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(milliseconds(5));
    queue->AddAfter(kB, milliseconds(20));
    queue->Add(kA);
    std::unique_lock lock(mutex);
    EXPECT_TRUE(
        changed.wait_for(lock, std::chrono::seconds(10), [&] { return taken.size() == 2; }));
    taken.clear();
    ++released;
    changed.notify_all();
  }
  queue->ShutDown();
}

TEST(WorkQueueTest, NeverTwoWorkersOnOneItem) {
  const auto queue = NewWorkQueue({.name = "q"});
  std::mutex mutex;
  std::map<std::string, int> working;
  std::atomic<int> done{0};
  std::atomic<bool> doubled{false};
  std::vector<std::jthread> workers;
  for (int i = 0; i < 4; ++i) {
    workers.emplace_back([&] {
      while (const auto item = queue->Get()) {
        {
          const std::lock_guard lock(mutex);
          if (++working[item->name] > 1) doubled = true;
        }
        std::this_thread::yield();
        {
          const std::lock_guard lock(mutex);
          --working[item->name];
        }
        ++done;
        queue->Done(*item);
      }
    });
  }
  for (int i = 0; i < 2'000; ++i) queue->Add({"ns", std::to_string(i % 7)});
  while (queue->Size() > 0) std::this_thread::yield();
  queue->ShutDown();
  workers.clear();
  EXPECT_FALSE(doubled);
  EXPECT_GE(done, 7);
}

}  // namespace
}  // namespace kube
