// SPDX-License-Identifier: Apache-2.0
#include "kube/error.h"

#include <gtest/gtest.h>

#include "kube/error_status.h"

namespace kube {
namespace {

TEST(ErrorTest, AStatusBecomesATypedError) {
  const ApiError error = ErrorFromAnswer(
      {"patch", "nodes", "n1"}, 403,
      R"({"kind": "Status", "reason": "Forbidden", "message": "User \"x\" cannot patch nodes"})",
      std::nullopt);
  EXPECT_TRUE(error.IsForbidden());
  EXPECT_STREQ(error.what(), "patch nodes n1: 403 Forbidden: User \"x\" cannot patch nodes");
  EXPECT_EQ(error.verb, "patch");
  EXPECT_EQ(error.resource, "nodes");
}

TEST(ErrorTest, OneCodeCanMeanSeveralThings) {
  const auto reason = [](int code, const std::string& word) {
    return ErrorFromAnswer({"create", "jobs", "a/b"}, code,
                           R"({"kind": "Status", "reason": ")" + word + "\"}", std::nullopt)
        .reason;
  };
  EXPECT_EQ(reason(409, "AlreadyExists"), ErrorReason::kAlreadyExists);
  EXPECT_EQ(reason(409, "Conflict"), ErrorReason::kConflict);
  EXPECT_EQ(reason(410, "Expired"), ErrorReason::kGone);
  EXPECT_EQ(reason(500, "ServerTimeout"), ErrorReason::kTimeout);
  EXPECT_EQ(reason(422, "Invalid"), ErrorReason::kInvalid);
  EXPECT_EQ(reason(503, ""), ErrorReason::kUnavailable);
}

TEST(ErrorTest, CausesNameTheFields) {
  const ApiError error = ErrorFromAnswer(
      {"create", "jobs", "a/b"}, 422,
      R"({"kind": "Status", "reason": "Invalid", "message": "m", "details": {"causes": [
          {"reason": "FieldValueRequired", "message": "Required value", "field": "spec.x"}]}})",
      std::chrono::seconds(3));
  ASSERT_EQ(error.causes.size(), 1U);
  EXPECT_EQ(error.causes[0].field, "spec.x");
  EXPECT_EQ(error.retry_after, std::chrono::seconds(3));
}

TEST(ErrorTest, WhatIsNoStatusIsQuoted) {
  const ApiError error =
      ErrorFromAnswer({"get", "pods", "a/b"}, 502, "<html>\nBad Gateway", std::nullopt);
  EXPECT_EQ(error.reason, ErrorReason::kUnavailable);
  EXPECT_STREQ(error.what(), "get pods a/b: 502 Unavailable: <html> Bad Gateway");
}

}  // namespace
}  // namespace kube
