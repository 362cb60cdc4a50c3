// SPDX-License-Identifier: Apache-2.0
#include "controllers/attribution/fault_history.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace controllers {
namespace {

using engine::NodeActivity;
using kube::Json;

const engine::Time kNow = *engine::ParseRfc3339("2026-12-01T04:00:00Z");

Json ProvenAttribution() {
  return Json::parse(R"({
    "metadata": {"namespace": "a", "name": "j", "uid": "u1"},
    "status": {"origin": "Operator", "root": {"trust": "Node", "time": "2026-12-01T03:00:00Z"},
               "verdict": {"result": "Failed", "symptom": "xid-79", "culprit": {"node": "n1"}}}})");
}

std::vector<kube::ObjectPtr> Objects(std::vector<Json> objects) {
  std::vector<kube::ObjectPtr> result;
  for (Json& object : objects) result.push_back(std::make_shared<const Json>(std::move(object)));
  return result;
}

engine::History History(std::vector<Json> attributions, std::vector<Json> faults,
                        const std::string& own_uid = "") {
  return HistoryOf(
      Objects(std::move(attributions)), Objects(std::move(faults)), own_uid,
      [](const std::string& name_space) { return "tenant-" + name_space; }, kNow,
      std::chrono::hours(24));
}

TEST(FaultHistoryTest, OnlyWhatTheNodeProvedCounts) {
  const engine::History history = History({ProvenAttribution()}, {});
  ASSERT_EQ(history.symptoms.size(), 1U);
  EXPECT_EQ(history.symptoms[0].symptom, "xid-79");
  EXPECT_EQ(history.symptoms[0].tenant, "tenant-a");

  Json printed = ProvenAttribution();
  printed["status"]["root"]["trust"] = "Workload";
  Json by_hand = ProvenAttribution();
  by_hand["status"]["origin"] = "Request";
  EXPECT_FALSE(IsProven(printed));
  EXPECT_FALSE(IsProven(by_hand));
  EXPECT_TRUE(History({printed, by_hand}, {}).symptoms.empty());
}

TEST(FaultHistoryTest, ItsOwnAndTheOldAreLeftOut) {
  EXPECT_TRUE(History({ProvenAttribution()}, {}, "u1").symptoms.empty());
  Json old = ProvenAttribution();
  old["status"]["root"]["time"] = "2026-11-29T03:00:00Z";
  EXPECT_TRUE(History({old}, {}).symptoms.empty());
}

TEST(FaultHistoryTest, FaultsOutliveTheirAttributionsAndCountOnce) {
  const Json fault = Json::parse(R"({
    "spec": {"nodeName": "n1", "symptom": "xid-79", "device": {"uuid": "GPU-1"}},
    "status": {"lastTime": "2026-12-01T03:30:00Z", "attributions": [
      {"namespace": "a", "name": "j", "uid": "u1"}, {"namespace": "b", "name": "k", "uid": "u2"}]}})");
  const engine::History history = History({ProvenAttribution()}, {fault});
  ASSERT_EQ(history.symptoms.size(), 2U);
  EXPECT_EQ(history.symptoms[1].tenant, "tenant-b");
  EXPECT_EQ(history.symptoms[1].gpu_uuid, "GPU-1");
}

Json Node(const char* boot, const char* ready_since) {
  return {{"metadata", {{"name", "n1"}, {"creationTimestamp", "2026-11-01T00:00:00Z"}}},
          {"status",
           {{"nodeInfo", {{"bootID", boot}}},
            {"conditions",
             {{{"type", "Ready"}, {"status", "True"}, {"lastTransitionTime", ready_since}}}}}}};
}

TEST(NodeActivityLogTest, SeesBootsCordonsAndUpgrades) {
  NodeActivityLog log;
  const Json before = Node("b1", "2026-11-01T00:01:00Z");
  log.Observe(nullptr, before, kNow);
  EXPECT_TRUE(log.Since(kNow - std::chrono::hours(1)).empty()) << "its first start is no reboot";

  log.Observe(&before, Node("b2", "2026-11-01T00:01:00Z"), kNow);
  Json cordoned = before;
  cordoned["spec"]["unschedulable"] = true;
  log.Observe(&before, cordoned, kNow);
  Json upgrading = before;
  upgrading["metadata"]["labels"]["nvidia.com/gpu-driver-upgrade-state"] = "drain-required";
  log.Observe(&before, upgrading, kNow);
  const auto activities = log.Since(kNow - std::chrono::hours(1));
  ASSERT_EQ(activities.size(), 3U);
  EXPECT_EQ(activities[0].kind, NodeActivity::Kind::kBoot);
  EXPECT_EQ(activities[1].kind, NodeActivity::Kind::kMaintenance);
  EXPECT_EQ(activities[2].kind, NodeActivity::Kind::kDriverUpgrade);
  EXPECT_TRUE(log.Since(kNow + std::chrono::seconds(1)).empty());

  // A node joins.
  log.Observe(nullptr, before, kNow + kHistoryHorizon);
  EXPECT_EQ(log.Since(kNow).size(), 3U);
  log.Observe(nullptr, before, kNow + kHistoryHorizon + std::chrono::seconds(1));
  EXPECT_TRUE(log.Since(kNow).empty());
}

}  // namespace
}  // namespace controllers
