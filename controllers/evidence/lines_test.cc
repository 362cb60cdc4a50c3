// SPDX-License-Identifier: Apache-2.0
#include "controllers/evidence/lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace controllers {
namespace {

using kube::Json;
using testing::ElementsAre;

TEST(LinesTest, ATerminatedContainerWhoseMessageIsTheRuntimes) {
  EXPECT_EQ(ContainerTerminatedLine("main", {{"exitCode", 128},
                                             {"reason", "StartError"},
                                             {"message", "failed to create: a\nb\n"}}),
            R"(container "main" terminated: reason=StartError exitCode=128 signal=0 )"
            R"(message="failed to create: a\nb")");
}

TEST(LinesTest, WhatAContainerLeftStandsApart) {
  const Json terminated = {
      {"exitCode", 137}, {"reason", "OOMKilled"}, {"message", "one\n\n  two \npod phase=Failed\n"}};
  EXPECT_EQ(ContainerTerminatedLine("main", terminated),
            R"(container "main" terminated: reason=OOMKilled exitCode=137 signal=0 message="")");
  EXPECT_THAT(MessageLines("main", terminated),
              ElementsAre(R"(container "main" message: one)", R"(container "main" message:   two)",
                          R"(container "main" message: pod phase=Failed)"));
}

TEST(LinesTest, MessagesAreBounded) {
  EXPECT_EQ(MessageLines("main", {{"message", std::string(1000, '\n') + "a"}}).size(), 1U);
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "x\n";
  EXPECT_EQ(MessageLines("main", {{"message", many}}).size(), 80U);
}

TEST(LinesTest, StatesOfPodsNodesAndJobs) {
  EXPECT_EQ(ContainerWaitingLine("main", {{"reason", "ImagePullBackOff"}, {"message", "no x:1"}}),
            R"(container "main" waiting: reason=ImagePullBackOff message="no x:1")");
  EXPECT_EQ(PodPhaseLine({{"status", {{"phase", "Failed"}, {"reason", "Evicted"}}}}),
            R"(pod phase=Failed reason=Evicted message="")");
  const Json condition = {{"type", "DisruptionTarget"},
                          {"status", "True"},
                          {"reason", "PreemptionByScheduler"},
                          {"message", "preempting"}};
  EXPECT_EQ(PodConditionLine(condition),
            R"(pod condition DisruptionTarget=True reason=PreemptionByScheduler )"
            R"(message="preempting")");
  EXPECT_EQ(NodeConditionLine({{"type", "Ready"},
                               {"status", "Unknown"},
                               {"reason", "NodeStatusUnknown"},
                               {"message", "Kubelet stopped posting node status."}}),
            R"(Ready=Unknown reason=NodeStatusUnknown )"
            R"(message="Kubelet stopped posting node status.")");
  EXPECT_EQ(ObjectConditionLine("Job", {{"type", "FailureTarget"},
                                        {"status", "True"},
                                        {"reason", "BackoffLimitExceeded"}}),
            R"(Job condition FailureTarget=True reason=BackoffLimitExceeded message="")");
  EXPECT_EQ(EventLine({{"type", "Warning"},
                       {"reason", "FailedMount"},
                       {"involvedObject", {{"kind", "Pod"}, {"name", "a"}}},
                       {"message", "timed out"}}),
            "Warning FailedMount Pod/a: timed out");
}

TEST(LinesTest, ConditionsOfAnEarlierAttemptAreLeftOut) {
  const Json job = {{"status",
                     {{"conditions",
                       {{{"type", "Suspended"},
                         {"status", "True"},
                         {"lastTransitionTime", "2026-12-01T04:00:00Z"}},
                        {{"type", "Failed"},
                         {"status", "True"},
                         {"lastTransitionTime", "2026-12-01T05:00:00Z"}}}}}}};
  const std::vector<StatusLine> lines = ObjectConditionLines("Job", job, "2026-12-01T05:00:00Z");
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].text, R"(Job condition Failed=True reason= message="")");
  EXPECT_EQ(lines[0].time, engine::ParseRfc3339("2026-12-01T05:00:00Z"));
  EXPECT_EQ(ObjectConditionLines("Job", job, "").size(), 2U);
}

TEST(LinesTest, MissingFieldsReadAsEmpty) {
  EXPECT_EQ(EventLine(Json::object()), "  /: ");
  EXPECT_EQ(ContainerTerminatedLine("c", Json()),
            R"(container "c" terminated: reason= exitCode=0 signal=0 message="")");
}

}  // namespace
}  // namespace controllers
