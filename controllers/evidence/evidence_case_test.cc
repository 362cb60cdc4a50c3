// SPDX-License-Identifier: Apache-2.0
#include "controllers/evidence/evidence_case.h"

#include <gtest/gtest.h>

namespace controllers {
namespace {

TEST(EvidenceCaseTest, StatesThatNeverEndAreCutAndTheCutIsTold) {
  const auto metrics = kube::NewMetricsRegistry();
  EvidenceCase evidence(
      engine::Ruleset::Load({}).ruleset, {.kind = "Job", .name_space = "ns", .name = "j"}, [] {},
      *metrics);
  const engine::Stream stream{.id = "status/p/1", .source = engine::Source::kPodStatus};
  for (int i = 0; i < 20'010; ++i) {
    for (int twice = 0; twice < 2; ++twice) {
      evidence.AddLine(stream, {"state " + std::to_string(i), {}, false});
    }
  }
  const engine::Attribution attribution = evidence.engine().Attribute({});
  ASSERT_EQ(attribution.evidence.size(), 1U);
  EXPECT_EQ(attribution.evidence[0].lines, 20'000);
  ASSERT_EQ(attribution.gaps.size(), 1U);
  EXPECT_EQ(attribution.gaps[0].reason, "TooManyStates");
}

}  // namespace
}  // namespace controllers
