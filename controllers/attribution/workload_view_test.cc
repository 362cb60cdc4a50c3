// SPDX-License-Identifier: Apache-2.0
#include "controllers/attribution/workload_view.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace controllers {
namespace {

using kube::Json;

kube::ObjectPtr Pod(const std::string& node, int gpus, const char* start, const char* end) {
  static int pods = 0;
  Json pod = {{"metadata", {{"uid", std::to_string(++pods)}}},
              {"spec",
               {{"nodeName", node},
                {"containers",
                 {{{"resources", {{"limits", {{"nvidia.com/gpu", std::to_string(gpus)}}}}}}}}}},
              {"status", {{"startTime", start}, {"phase", end == nullptr ? "Running" : "Failed"}}}};
  if (end != nullptr) {
    pod["status"]["containerStatuses"] = {{{"state", {{"terminated", {{"finishedAt", end}}}}}}};
  }
  return std::make_shared<const Json>(std::move(pod));
}

kube::ObjectPtr NodeWithEight(const std::string& name) {
  return std::make_shared<const Json>(
      Json{{"metadata", {{"name", name}}}, {"status", {{"capacity", {{"nvidia.com/gpu", "8"}}}}}});
}

TEST(WorkloadViewTest, AllGpusOfANodeAreItsOwn) {
  WorkloadNodes view;
  AddPods(
      {Pod("n1", 4, "2026-12-01T04:00:00Z", nullptr), Pod("n1", 4, "2026-12-01T04:00:01Z", nullptr),
       Pod("n2", 4, "2026-12-01T04:00:00Z", nullptr)},
      NodeWithEight, view);
  EXPECT_EQ(view.nodes, (std::set<std::string>{"n1", "n2"}));
  EXPECT_EQ(view.exclusive, (std::set<std::string>{"n1"}));
}

TEST(WorkloadViewTest, ARetryOnTheSameNodeDoesNotAddUp) {
  WorkloadNodes view;
  AddPods({Pod("n1", 4, "2026-12-01T04:00:00Z", "2026-12-01T04:01:00Z"),
           Pod("n1", 4, "2026-12-01T04:02:00Z", nullptr)},
          NodeWithEight, view);
  EXPECT_TRUE(view.exclusive.empty());
}

TEST(WorkloadViewTest, KnowsWhenItWasWhere) {
  WorkloadNodes view;
  AddPods({Pod("n1", 4, "2026-12-01T04:00:00Z", "2026-12-01T04:01:00Z"),
           Pod("n2", 4, "2026-12-01T04:02:00Z", nullptr)},
          NodeWithEight, view);
  ASSERT_EQ(view.stays.size(), 2U);
  const engine::Stay& first = view.stays.begin()->second;
  EXPECT_EQ(first.node, "n1");
  EXPECT_EQ(engine::FormatTime(first.from), "2026-12-01T04:00:00Z");
  ASSERT_TRUE(first.to);
  EXPECT_EQ(engine::FormatTime(*first.to), "2026-12-01T04:01:00Z");
  EXPECT_FALSE(view.stays.rbegin()->second.to) << "it is still there";
}

TEST(WorkloadViewTest, WhoseContainersTellNoEndMayHaveBeenThereForLong) {
  Json evicted = *Pod("n1", 4, "2026-12-01T04:00:00Z", nullptr);
  evicted["status"]["phase"] = "Failed";
  WorkloadNodes view;
  AddPods({std::make_shared<const Json>(evicted)}, NodeWithEight, view);
  EXPECT_FALSE(view.stays.begin()->second.to);
}

TEST(WorkloadViewTest, WhatIsGoneWasThereAllTheSame) {
  WorkloadNodes view;
  AddPods({Pod("n1", 8, "2026-12-01T04:00:00Z", nullptr)}, NodeWithEight, view);
  AddPods({}, NodeWithEight, view);
  EXPECT_EQ(view.exclusive, (std::set<std::string>{"n1"}));
}

}  // namespace
}  // namespace controllers
