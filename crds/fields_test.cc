// SPDX-License-Identifier: Apache-2.0
#include "crds/fields.h"

#include <gtest/gtest.h>

#include "crds/attribution_policy.h"
#include "crds/node_fault.h"

namespace crds {
namespace {

TEST(FieldsTest, AbsentFieldsKeepTheirDefaults) {
  AttributionPolicySpec spec;
  FromJson(Json::parse(R"({"evidence": {"settleSeconds": 5}, "match": {"kinds": ["Job"]}})"), spec);
  EXPECT_EQ(spec.evidence.settle_seconds, 5);
  EXPECT_EQ(spec.evidence.node_logs, std::vector<std::string>{"Agent"});
  EXPECT_EQ(spec.match.kinds, std::vector<std::string>{"Job"});
  EXPECT_EQ(spec.precedence, 1000);
}

TEST(FieldsTest, WhatIsWrittenIsReadAgain) {
  NodeFaultSpec spec{.node_name = "n1", .symptom = "xid-79", .device = {.type = "GPU"}};
  spec.release = Release{"replaced"};
  const Json json = ToJson(spec);
  EXPECT_EQ(json, Json::parse(R"({"nodeName": "n1", "symptom": "xid-79", "device": {"type": "GPU"},
                                   "release": {"reason": "replaced"}})"));
  NodeFaultSpec again;
  FromJson(json, again);
  EXPECT_EQ(ToJson(again), json);
}

TEST(FieldsTest, AWrongTypeNamesTheField) {
  AttributionPolicySpec spec;
  try {
    FromJson(Json::parse(R"({"evidence": {"redact": ["a", 7]}})"), spec);
    FAIL() << "no error";
  } catch (const FieldError& error) {
    EXPECT_STREQ(error.what(), "evidence.redact[1]: expected a string");
  }
}

}  // namespace
}  // namespace crds
