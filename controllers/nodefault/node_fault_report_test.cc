// SPDX-License-Identifier: Apache-2.0
#include "controllers/nodefault/node_fault_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "controllers/evidence/scripted_api.h"
#include "controllers/status/resources.h"

namespace controllers {
namespace {

using kube::Json;

FaultReport Report(const std::string& uid, const char* time) {
  return {.node = "gpu-7.example",
          .symptom = "xid-79",
          .device_type = "GPU",
          .gpu_uuid = {},
          .pci_address = "0000:3b:00",
          .level = engine::EvidenceLevel::kEstablished,
          .boot_id = "b1",
          .time = *engine::ParseRfc3339(time),
          .name_space = "team-a",
          .name = "j",
          .uid = uid};
}

std::string Tenant(const std::string& name_space) { return name_space; }

TEST(NodeFaultNameTest, IsTheSameForTheSameFaultOnly) {
  const FaultReport report = Report("u1", "2026-12-01T04:00:00Z");
  FaultReport later = Report("u2", "2026-12-01T05:00:00Z");
  EXPECT_EQ(NodeFaultName(report), NodeFaultName(later));
  EXPECT_EQ(NodeFaultName(report).rfind("gpu-7.example-", 0), 0U);
  later.gpu_uuid = "GPU-1";
  EXPECT_NE(NodeFaultName(report), NodeFaultName(later)) << "a new device is a new fault";
}

TEST(StatusAfterTest, CountsEachAttributionOnce) {
  Json fault = Json::object();
  fault["status"] = StatusAfter(fault, Report("u1", "2026-12-01T04:00:00Z"), Tenant);
  EXPECT_EQ(fault["status"]["count"], 1);
  EXPECT_EQ(fault["status"]["bootID"], "b1");
  EXPECT_TRUE(StatusAfter(fault, Report("u1", "2026-12-01T04:00:00Z"), Tenant).is_null());

  FaultReport other = Report("u2", "2026-12-01T03:00:00Z");
  other.name_space = "team-b";
  other.boot_id = "b0";
  const Json status = StatusAfter(fault, other, Tenant);
  EXPECT_EQ(status["count"], 2);
  EXPECT_EQ(status["tenants"], 2);
  EXPECT_EQ(status["firstTime"], "2026-12-01T03:00:00Z");
  EXPECT_EQ(status["lastTime"], "2026-12-01T04:00:00Z");
  EXPECT_FALSE(status.contains("bootID")) << "the newest record's boot stays";
}

TEST(StatusAfterTest, KeepsTheNewestSixteen) {
  Json fault = Json::object();
  for (int i = 0; i < 20; ++i) {
    fault["status"] =
        StatusAfter(fault, Report("u" + std::to_string(i), "2026-12-01T04:00:00Z"), Tenant);
  }
  EXPECT_EQ(fault["status"]["count"], 20);
  EXPECT_EQ(fault["status"]["attributions"].size(), 16U);
  EXPECT_EQ(fault["status"]["attributions"].back()["uid"], "u19");
}

TEST(ReportNodeFaultTest, WhatIsAboutSomethingElseIsLeftAlone) {
  const FaultReport report = Report("u1", "2026-12-01T04:00:00Z");
  const kube::ObjectKey key{{}, NodeFaultName(report)};
  for (const char* field : {"/nodeName", "/symptom", "/device/pciAddress", "/device/uuid"}) {
    ScriptedApi api;
    ASSERT_EQ(ReportNodeFault(api, report, Tenant), key.name);
    Json squatter = api.Object(kNodeFaults, key);
    EXPECT_EQ(squatter["status"]["count"], 1);
    squatter["spec"][Json::json_pointer(field)] = "another";
    squatter.erase("status");
    api.Put(kNodeFaults, squatter);
    EXPECT_EQ(ReportNodeFault(api, report, Tenant), "") << field;
    EXPECT_FALSE(api.Object(kNodeFaults, key).contains("status"));
  }
}

}  // namespace
}  // namespace controllers
