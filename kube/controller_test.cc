// SPDX-License-Identifier: Apache-2.0
#include "kube/controller.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "kube/metrics.h"

namespace kube {
namespace {

using std::chrono::milliseconds;

// Does what a test says, and lets it wait for the n-th time.
class Reconciling final : public Reconciler {
 public:
  explicit Reconciling(std::function<Result(int time)> act) : act_(std::move(act)) {}

  Result Reconcile(const Request& request, std::stop_token) override {
    int time = 0;
    {
      const std::lock_guard lock(mutex_);
      time = ++times_[request];
      changed_.notify_all();
    }
    return act_(time);
  }
  bool Reached(const Request& request, int times) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(10),
                             [&] { return times_[request] >= times; });
  }
  int Times(const Request& request) {
    const std::lock_guard lock(mutex_);
    return times_[request];
  }

 private:
  const std::function<Result(int)> act_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Request, int> times_;
};

const Request kA{"ns", "a"};

// Runs a controller until `times` reconciles have begun; returns the metrics.
std::string MetricsOf(Reconciling& reconciling, int times) {
  const auto metrics = NewMetricsRegistry();
  const auto controller = NewController({.name = "test"}, reconciling, metrics.get());
  std::stop_source stop;
  std::jthread running([&] { controller->Run(stop.get_token()); });
  controller->Enqueue(kA);
  EXPECT_TRUE(reconciling.Reached(kA, times));
  std::this_thread::sleep_for(milliseconds(50));
  stop.request_stop();
  running.join();
  return metrics->Render();
}

bool Has(const std::string& metrics, const std::string& line) {
  return metrics.find(line + '\n') != std::string::npos;
}

TEST(ControllerTest, AThrowIsCountedAndTriedAgain) {
  Reconciling reconciling([](int time) -> Result {
    if (time == 1) throw std::runtime_error("something else");
    if (time == 2) throw ApiError(ErrorReason::kUnavailable, 503, "no server");
    return {};
  });
  const std::string metrics = MetricsOf(reconciling, 3);
  EXPECT_EQ(reconciling.Times(kA), 3);
  EXPECT_TRUE(
      Has(metrics, R"(controller_runtime_reconcile_total{controller="test",result="error"} 2)"));
  EXPECT_TRUE(
      Has(metrics, R"(controller_runtime_reconcile_total{controller="test",result="success"} 1)"));
  EXPECT_TRUE(Has(metrics, R"(controller_runtime_reconcile_errors_total{controller="test"} 2)"));
  EXPECT_TRUE(Has(metrics, R"(workqueue_retries_total{name="test"} 2)"));
  EXPECT_TRUE(Has(metrics, R"(workqueue_adds_total{name="test"} 3)"));
  EXPECT_TRUE(Has(metrics, R"(workqueue_depth{name="test"} 0)"));
  EXPECT_TRUE(Has(metrics, R"(workqueue_work_duration_seconds_count{name="test"} 3)")) << metrics;
}

TEST(ControllerTest, AConflictIsTriedAgainAndNoError) {
  Reconciling reconciling([](int time) -> Result {
    if (time == 1) throw ApiError(ErrorReason::kConflict, 409, "changed meanwhile");
    return {};
  });
  const std::string metrics = MetricsOf(reconciling, 2);
  EXPECT_TRUE(
      Has(metrics, R"(controller_runtime_reconcile_total{controller="test",result="requeue"} 1)"));
  EXPECT_EQ(metrics.find("controller_runtime_reconcile_errors_total"), std::string::npos);
}

TEST(ControllerTest, ARequeueComesWhenItIsDueAndForgetsFailures) {
  std::atomic<std::int64_t> waited{0};
  auto last = std::chrono::steady_clock::now();
  Reconciling reconciling([&](int time) -> Result {
    const auto now = std::chrono::steady_clock::now();
    waited = std::chrono::duration_cast<milliseconds>(now - last).count();
    last = now;
    if (time == 1) return {.requeue_after = milliseconds(80)};
    return {};
  });
  const std::string metrics = MetricsOf(reconciling, 2);
  EXPECT_GE(waited, 80);
  EXPECT_EQ(reconciling.Times(kA), 2);
  EXPECT_TRUE(
      Has(metrics,
          R"(controller_runtime_reconcile_total{controller="test",result="requeue_after"} 1)"));
}

TEST(ControllerTest, StopFinishesWhatIsWorkedOnAndLeavesTheRest) {
  std::atomic<int> finished{0};
  Reconciling reconciling([&](int) -> Result {
    std::this_thread::sleep_for(milliseconds(50));
    ++finished;
    return {};
  });
  const auto controller =
      NewController({.name = "test", .max_concurrent_reconciles = 2}, reconciling);
  std::stop_source stop;
  std::jthread running([&] { controller->Run(stop.get_token()); });
  for (int i = 0; i < 50; ++i) controller->Enqueue({"ns", std::to_string(i)});
  EXPECT_TRUE(reconciling.Reached({"ns", "1"}, 1));
  stop.request_stop();
  running.join();
  EXPECT_EQ(finished, 2);
}

TEST(ControllerTest, GenerationChangedPassesWhatChangesTheSpec) {
  const Json one{{"metadata", {{"generation", 1}}}};
  const Json two{{"metadata", {{"generation", 2}}}};
  const Json going{
      {"metadata", {{"generation", 1}, {"deletionTimestamp", "2026-01-01T00:00:00Z"}}}};
  EXPECT_TRUE(GenerationChanged(nullptr, &one));
  EXPECT_TRUE(GenerationChanged(&one, nullptr));
  EXPECT_TRUE(GenerationChanged(&one, &two));
  EXPECT_TRUE(GenerationChanged(&one, &going));
  EXPECT_FALSE(GenerationChanged(&one, &one));
}

}  // namespace
}  // namespace kube
