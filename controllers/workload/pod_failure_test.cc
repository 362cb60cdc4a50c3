// SPDX-License-Identifier: Apache-2.0
#include "controllers/workload/pod_failure.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "controllers/workload/pod_projection.h"
#include "controllers/workload/recorded.h"

namespace controllers {
namespace {

using kube::Json;

TEST(PodFailureTest, AContainerThatEndedWithAnErrorCode) {
  const auto failure = FirstFailure(ProjectPod(Recorded("pods-failed-indexed")["items"][0]));
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->container, "main");
  EXPECT_EQ(failure->time, "2026-12-01T04:27:08Z");
  EXPECT_FALSE(failure->disrupted);
}

TEST(PodFailureTest, ARestartIsAFailureOfTheRunBefore) {
  const auto failure = FirstFailure(ProjectPod(Recorded("pod-restarted-laststate")));
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->time, "2026-12-01T05:09:47Z");
}

TEST(PodFailureTest, WhatADeletionDoesIsNone) {
  Json pod = Recorded("pod-failed-exit1");
  pod["metadata"]["deletionTimestamp"] = "2026-12-01T04:12:40Z";
  EXPECT_FALSE(FirstFailure(pod).has_value());
}

TEST(PodFailureTest, ADisruptionIsToldEvenOfADeletedPod) {
  Json pod = Recorded("pod-failed-exit1");
  pod["metadata"]["deletionTimestamp"] = "2026-12-01T04:12:40Z";
  pod["status"]["conditions"].push_back({{"type", "DisruptionTarget"},
                                         {"status", "True"},
                                         {"reason", "EvictionByEvictionAPI"},
                                         {"lastTransitionTime", "2026-12-01T04:12:39Z"}});
  const auto failure = FirstFailure(ProjectPod(pod));
  ASSERT_TRUE(failure.has_value());
  EXPECT_TRUE(failure->disrupted);
}

TEST(PodFailureTest, ASidecarsEndIsNone) {
  Json pod = {{"spec", {{"initContainers", {{{"name", "proxy"}, {"restartPolicy", "Always"}}}}}},
              {"status",
               {{"phase", "Running"},
                {"initContainerStatuses",
                 {{{"name", "proxy"}, {"state", {{"terminated", {{"exitCode", 143}}}}}}}}}}};
  EXPECT_FALSE(FirstFailure(pod).has_value());
}

TEST(PodFailureTest, APodThatTheNodeRefused) {
  const auto failure = FirstFailure({{"status", {{"phase", "Failed"}, {"reason", "OutOfcpu"}}}});
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->container, "");
}

TEST(PodProjectionTest, KeepsWhatIsReadAndNoMore) {
  const Json pod = Recorded("pod-failed-exit1");
  const Json kept = ProjectPod(pod);
  EXPECT_EQ(kube::UidOf(kept), kube::UidOf(pod));
  EXPECT_EQ(kept["metadata"]["ownerReferences"], pod["metadata"]["ownerReferences"]);
  EXPECT_EQ(kept["spec"]["nodeName"], pod["spec"]["nodeName"]);
  EXPECT_EQ(kept["status"]["containerStatuses"][0]["state"],
            pod["status"]["containerStatuses"][0]["state"]);
  EXPECT_FALSE(kept["spec"].contains("volumes"));
  EXPECT_FALSE(kept["spec"]["containers"][0].contains("command"));
  EXPECT_LT(kept.dump().size(), pod.dump().size() / 2);
}

}  // namespace
}  // namespace controllers
