// SPDX-License-Identifier: Apache-2.0
#include "operator/saved_logs/log_name.h"

#include <gtest/gtest.h>

namespace app {
namespace {

using engine::Source;

struct Expected {
  const char* path;
  std::optional<Source> source;
  std::optional<int> rank;
  const char* node;
  const char* folder;
};

TEST(LogName, FollowsTheRule) {
  const Expected cases[] = {
      {"n1/kern.log", Source::kKernel, {}, "", "n1"},
      {"/cases/7/n1/kern.log.2.gz", Source::kKernel, {}, "", "n1"},
      {"/var/log/kern.log", Source::kKernel, {}, "", ""},
      {"node-a.syslog", Source::kSyslog, {}, "node-a", ""},
      {"gpu17.example.com.kern.log", Source::kKernel, {}, "gpu17.example.com", ""},
      {"Node-A.dmesg.zst", Source::kKernel, {}, "Node-A", ""},
      {"dmesg", Source::kKernel, {}, "", ""},
      {"kernel.log", Source::kKernel, {}, "", ""},
      {"dmesg-n1.txt", Source::kKernel, {}, "", ""},
      {"messages-20261201", Source::kSyslog, {}, "", ""},
      {"rank3.log", {}, 3, "", ""},
      {"run/rank_03.out", {}, 3, "", ""},
      {"node-a.rank12.log", {}, 12, "node-a", ""},
      {"train.log", {}, {}, "", ""},
      {"job-17/train.log", {}, {}, "", "job-17"},
      {"pod.events.txt", Source::kEvent, {}, "", ""},
      {"n2.node-metrics.log", Source::kNodeMetric, {}, "", ""},
      {"n2/node-metrics.log", Source::kNodeMetric, {}, "", "n2"},
      {"train_metrics.log", {}, {}, "", ""},
      {"pod_status.txt", Source::kPodStatus, {}, "", ""},
      {"kubelet.log", Source::kKubelet, {}, "", ""},
      {"frank5.log", {}, {}, "", ""},
      {"rank99999999.log", {}, {}, "", ""},
      {"kernels-benchmark.log", {}, {}, "", ""},
      {".kern.log", Source::kKernel, {}, "", ""},
      {"-", {}, {}, "", ""},
      {"", {}, {}, "", ""},
  };
  for (const Expected& expected : cases) {
    const LogName name = ReadLogName(expected.path);
    EXPECT_EQ(name.source, expected.source) << expected.path;
    EXPECT_EQ(name.rank, expected.rank) << expected.path;
    EXPECT_EQ(name.node, expected.node) << expected.path;
    EXPECT_EQ(name.folder, expected.folder) << expected.path;
  }
}

}  // namespace
}  // namespace app
