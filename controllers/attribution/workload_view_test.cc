// SPDX-License-Identifier: Apache-2.0
#include "controllers/attribution/workload_view.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace controllers {
namespace {

using kube::Json;

kube::ObjectPtr Pod(const std::string& node, int gpus, const char* start, const char* end) {
  Json pod = {{"spec",
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

TEST(WorkloadViewTest, WhatIsGoneWasThereAllTheSame) {
  WorkloadNodes view;
  AddPods({Pod("n1", 8, "2026-12-01T04:00:00Z", nullptr)}, NodeWithEight, view);
  AddPods({}, NodeWithEight, view);
  EXPECT_EQ(view.exclusive, (std::set<std::string>{"n1"}));
}

}  // namespace
}  // namespace controllers
