// SPDX-License-Identifier: Apache-2.0
#include "engine/refine/escalate.h"

#include "engine/refine/refinement_fixture.h"

namespace engine {
namespace {

using EscalateTest = RefinementFixture;

constexpr char kTenants[] =
    "- {name: tenants, escalate: {symptom: inducible, atLeast: 2, distinct: Tenant, scope: GPU, "
    "withinSeconds: 1000, result: derived}}\n";
constexpr char kRepeats[] =
    "- {name: repeats, escalate: {symptom: inducible, atLeast: 3, scope: GPU, withinSeconds: 1000, "
    "result: derived}}\n";

PastSymptom Past(const std::string& tenant, int second, const std::string& pci = "0000:3B:00.0") {
  return {.symptom = "inducible",
          .node = "n1",
          .gpu_uuid = {},
          .pci_address = pci,
          .pool = {},
          .tenant = tenant,
          .time = Time(std::chrono::seconds(second))};
}

TEST_F(EscalateTest, TheSameGpuUnderDifferentTenants) {
  const auto derived = [&](std::vector<PastSymptom> past) {
    history_.symptoms = std::move(past);
    Refinement& refinement = Refine(kTenants, {At("inducible", "n1", 5000)});
    Escalate(refinement);
    return refinement.findings.size() > 1;
  };
  EXPECT_TRUE(derived({Past("a", 4900), Past("b", 4800)}));
  EXPECT_FALSE(derived({Past("a", 4900), Past("a", 4800)})) << "one tenant";
  EXPECT_FALSE(derived({Past("a", 4900), Past("b", 3000)})) << "long ago";
  EXPECT_FALSE(derived({Past("a", 4900), Past("b", 4800, "0000:9c:00")})) << "another GPU";
  EXPECT_FALSE(derived({}));
}

TEST_F(EscalateTest, RepeatsCountHereAndBefore) {
  Event twice = At("inducible", "n1", 5000);
  twice.count = 2;
  Refinement& alone = Refine(kRepeats, {twice});
  Escalate(alone);
  EXPECT_EQ(alone.findings.size(), 1U);
  history_.symptoms = {Past("a", 4900)};
  Refinement& again = Refine(kRepeats, {twice});
  Escalate(again);
  ASSERT_EQ(again.findings.size(), 2U);
  EXPECT_EQ(again.findings[0].explained_by, 1);
  EXPECT_EQ(again.findings[1].event.rule, "repeats");
}

TEST_F(EscalateTest, ClaimsDoNotCountTowardsAProof) {
  Event claim = App("inducible", "n1", 4000);
  claim.pci_address = "0000:3b:00";
  claim.count = 100;
  Refinement& refinement = Refine(kRepeats, {claim, At("inducible", "n1", 4100)});
  Escalate(refinement);
  for (const Finding& finding : refinement.findings) {
    EXPECT_TRUE(finding.event.symptom != "derived" || finding.event.trust == Trust::kWorkload);
  }
}

}  // namespace
}  // namespace engine
