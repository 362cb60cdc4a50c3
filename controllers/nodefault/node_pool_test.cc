// SPDX-License-Identifier: Apache-2.0
#include "controllers/nodefault/node_pool.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace controllers {
namespace {

using kube::Json;
using Names = std::vector<std::string>;

Json GpuNode(const std::string& name) {
  return {{"metadata", {{"name", name}}},
          {"spec", Json::object()},
          {"status",
           {{"capacity", {{"nvidia.com/gpu", "8"}}},
            {"conditions", {{{"type", "Ready"}, {"status", "True"}}}}}}};
}

Json Tainted(Json node, const char* key) {
  node["spec"]["taints"].push_back({{"key", key}, {"effect", "NoSchedule"}});
  return node;
}

TEST(NodePoolTest, CountsWhateverMakesANodeUnavailable) {
  Json not_ready = GpuNode("b");
  not_ready["status"]["conditions"][0]["status"] = "Unknown";
  Json cordoned = GpuNode("c");
  cordoned["spec"]["unschedulable"] = true;
  Json plain = GpuNode("e");
  plain["status"].erase("capacity");
  const PoolStanding standing =
      StandingOf({GpuNode("a"), not_ready, cordoned, Tainted(GpuNode("d"), kTaintKey), plain}, "");
  EXPECT_EQ(standing.nodes, (Names{"a", "b", "c", "d"})) << "a node without accelerators is none";
  EXPECT_EQ(standing.unavailable, (Names{"b", "c", "d"}));
}

TEST(NodePoolTest, OurTaintCountsWhateverItsEffect) {
  Json ours = Tainted(GpuNode("a"), kTaintKey);
  ours["spec"]["taints"][0]["effect"] = "PreferNoSchedule";
  Json other = Tainted(GpuNode("b"), "team");
  other["spec"]["taints"][0]["effect"] = "PreferNoSchedule";
  EXPECT_EQ(StandingOf({ours, other, GpuNode("c")}, "").unavailable, Names{"a"});
}

TEST(NodePoolTest, TaintsThatSetAPoolApartAreNoTrouble) {
  const PoolStanding standing = StandingOf(
      {Tainted(Tainted(GpuNode("a"), "team"), "nvidia.com/gpu"), Tainted(GpuNode("b"), "team")},
      "");
  EXPECT_TRUE(standing.unavailable.empty());
  EXPECT_EQ(StandingOf({Tainted(GpuNode("a"), "team"), GpuNode("b")}, "").unavailable, Names{"a"});
  EXPECT_EQ(StandingOf({Tainted(GpuNode("a"), "node.kubernetes.io/unreachable"),
                        Tainted(GpuNode("b"), "node.kubernetes.io/unreachable")},
                       "")
                .unavailable.size(),
            2U);
}

TEST(NodePoolTest, TheAnnotationNamesTheFaults) {
  Json node = GpuNode("a");
  EXPECT_TRUE(TaintOwners(node).empty());
  node["metadata"]["annotations"][kTaintAnnotation] = "b,a,,b";
  EXPECT_EQ(TaintOwners(node), (Names{"a", "b"}));
}

TEST(NodePoolTest, HeartbeatsChangeNothing) {
  const Json before = GpuNode("a");
  Json after = before;
  after["status"]["conditions"][0]["lastHeartbeatTime"] = "2026-12-01T04:00:00Z";
  EXPECT_TRUE(SameStanding(before, after));
  EXPECT_FALSE(SameStanding(before, Tainted(after, kTaintKey)));
}

}  // namespace
}  // namespace controllers
