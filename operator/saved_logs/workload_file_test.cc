// SPDX-License-Identifier: Apache-2.0
#include "operator/saved_logs/workload_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

engine::Time At(const char* text) { return *engine::ParseRfc3339(text); }

TEST(WorkloadFile, ReadsTheRestApisAttributor) {
  std::string error;
  const auto workload = ParseWorkload(
      R"({"workload":{"id":"curl-example-001","type":"kueue",
          "job_start_time":"2026-10-07T10:00:00Z","job_end_time":"2026-10-07T10:30:00Z",
          "interest_start_time":"2026-10-07T10:05:00Z","interest_end_time":null,
          "status":"FAILED","nodes":{"node-a":[0,1],"node-b":[2]},"name":"curl-example"},
          "metadata":{"cluster":"c"}})",
      &error);
  ASSERT_TRUE(workload) << error;
  EXPECT_EQ(workload->name, "curl-example");
  EXPECT_EQ(workload->start, At("2026-10-07T10:05:00Z"));
  EXPECT_EQ(workload->end, At("2026-10-07T10:30:00Z"));
  EXPECT_EQ(workload->outcome, engine::Outcome::kFailed);
  EXPECT_THAT(workload->nodes, ElementsAre("node-a", "node-b"));
}

TEST(WorkloadFile, ReadsBareFields) {
  std::string error;
  const auto workload = ParseWorkload("name: x\nnodes: [n1, n2]\nstatus: Completed\n", &error);
  ASSERT_TRUE(workload) << error;
  EXPECT_EQ(workload->outcome, engine::Outcome::kSucceeded);
  EXPECT_THAT(workload->nodes, ElementsAre("n1", "n2"));
  EXPECT_FALSE(workload->start);
}

TEST(WorkloadFile, ReadsAJob) {
  std::string error;
  const auto workload = ParseWorkload(
      "apiVersion: batch/v1\nkind: Job\nmetadata: {name: train, namespace: ml}\n"
      "status:\n  startTime: \"2026-12-01T04:00:00Z\"\n  conditions:\n"
      "  - {type: FailureTarget, status: \"True\", lastTransitionTime: \"2026-12-01T04:09:00Z\"}\n"
      "  - {type: Failed, status: \"True\", lastTransitionTime: \"2026-12-01T04:10:00Z\"}\n",
      &error);
  ASSERT_TRUE(workload) << error;
  EXPECT_EQ(workload->name, "train");
  EXPECT_EQ(workload->name_space, "ml");
  EXPECT_EQ(workload->outcome, engine::Outcome::kFailed);
  EXPECT_EQ(workload->start, At("2026-12-01T04:00:00Z"));
  EXPECT_EQ(workload->end, At("2026-12-01T04:10:00Z"));
}

TEST(WorkloadFile, SaysWhatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {"job_start_time: yesterday", "job_start_time: \"yesterday\" is no time"},
      {"nodes: 3", "nodes: expected names"},
      {"kind: Pod", "kind Pod: only a Job"},
      {"kind: Job", "status: missing"},
      {"- a", "expected a Job"},
      {"a: [", "line "},
      {"", "expected a Job"},
      {"name: {a: b}", "name: expected a string"},
      {"nodes: [[1]]", ""},
  };
  for (const auto& [text, message] : cases) {
    std::string error;
    EXPECT_FALSE(ParseWorkload(text, &error)) << text;
    EXPECT_THAT(error, HasSubstr(message)) << text;
    EXPECT_FALSE(error.empty()) << text;
  }
}

TEST(WorkloadFile, ReadsIntervals) {
  const engine::Time now = At("2026-12-01T12:00:00Z");
  std::string error;
  auto workload = ParseInterval("2026-12-01T04:00:00Z/2h", now, &error);
  ASSERT_TRUE(workload) << error;
  EXPECT_EQ(workload->start, At("2026-12-01T04:00:00Z"));
  EXPECT_EQ(workload->end, At("2026-12-01T10:00:00Z"));
  workload = ParseInterval("2026-12-01/", now, &error);
  ASSERT_TRUE(workload) << error;
  EXPECT_EQ(workload->start, At("2026-12-01T00:00:00Z"));
  EXPECT_FALSE(workload->end);
  EXPECT_FALSE(ParseInterval("1h/2h", now, &error));
  EXPECT_EQ(error, "the end is before the start");
  EXPECT_FALSE(ParseInterval("no-such-file.yaml", now, &error));
  EXPECT_FALSE(ParseInterval("dir/no-such-file.yaml", now, &error));
}

TEST(WorkloadFile, ReadsMoments) {
  const engine::Time now = At("2026-12-01T12:00:00Z");
  EXPECT_EQ(ParseMoment("90s", now), At("2026-12-01T11:58:30Z"));
  EXPECT_EQ(ParseMoment("3d", now), At("2026-11-28T12:00:00Z"));
  EXPECT_EQ(ParseMoment("2026-12-01 04:00:05", now), At("2026-12-01T04:00:05Z"));
  EXPECT_EQ(ParseMoment("2026-12-01T04:00:05+02:00", now), At("2026-12-01T02:00:05Z"));
  for (const char* text : {"", "h", "-1h", "1w", "12:00", "2026-13-01", "99999999999999999999s"}) {
    EXPECT_FALSE(ParseMoment(text, now)) << text;
  }
}

}  // namespace
}  // namespace app
