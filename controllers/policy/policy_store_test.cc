// SPDX-License-Identifier: Apache-2.0
#include "controllers/policy/policy_store.h"

#include <gtest/gtest.h>

namespace controllers {
namespace {

crds::AttributionPolicySpec Policy(std::int64_t precedence) {
  crds::AttributionPolicySpec spec;
  spec.precedence = precedence;
  return spec;
}

std::string NameFor(const PolicyStore& store, const PolicySubject& subject) {
  const auto applied = store.PolicyFor(subject);
  if (!applied) return "(none)";
  return applied->name.empty() ? "(default)" : applied->name;
}

const PolicySubject kGpuJob{"Job", {{"team", "a"}}, {}, {"cpu", "nvidia.com/gpu"}};

TEST(PolicyStoreTest, TheDefaultWatchesAcceleratorsQueuesAndWhoAsks) {
  const auto store = NewPolicyStore();
  EXPECT_EQ(NameFor(*store, kGpuJob), "(default)");
  EXPECT_EQ(NameFor(*store, {"Job", {}, {}, {"cpu"}}), "(none)");
  EXPECT_EQ(NameFor(*store, {"Job", {}, {{"attribution.dev/watch", "true"}}, {}}), "(default)");
  EXPECT_EQ(NameFor(*store, {"Job", {}, {{"attribution.dev/watch", "false"}}, {}}), "(none)");
  EXPECT_EQ(NameFor(*store, {"Workload", {}, {}, {"cpu"}}), "(default)");
  EXPECT_EQ(NameFor(*store, {"Job", {}, {{"kueue.x-k8s.io/queue-name", "q"}}, {}}), "(default)");
}

TEST(PolicyStoreTest, LowestPrecedenceThenNameWins) {
  const auto store = NewPolicyStore();
  store->Put("late", Policy(2000));
  store->Put("b", Policy(100));
  store->Put("a", Policy(100));
  EXPECT_EQ(NameFor(*store, kGpuJob), "a");
  store->Remove("a");
  EXPECT_EQ(NameFor(*store, kGpuJob), "b");
  store->Remove("b");
  EXPECT_EQ(NameFor(*store, kGpuJob), "late");
  EXPECT_EQ(store->Find("late")->spec.precedence, 2000);
  EXPECT_FALSE(store->Find("b"));
}

TEST(PolicyStoreTest, AllPartsOfAMatchMustHold) {
  const auto store = NewPolicyStore();
  crds::AttributionPolicySpec spec = Policy(1);
  spec.match.namespace_selector.match_labels = {{"team", "a"}};
  spec.match.kinds = {"Job"};
  spec.match.resources = {"nvidia.com/gpu"};
  store->Put("gpu-of-a", spec);
  EXPECT_EQ(NameFor(*store, kGpuJob), "gpu-of-a");
  EXPECT_EQ(NameFor(*store, {"Job", {{"team", "b"}}, {}, {"nvidia.com/gpu"}}), "(default)");
  EXPECT_EQ(NameFor(*store, {"Job", {{"team", "a"}}, {}, {"cpu"}}), "(none)");
  EXPECT_EQ(NameFor(*store, {"Workload", {{"team", "a"}}, {}, {"nvidia.com/gpu"}}), "(default)");
}

TEST(PolicyStoreTest, ABrokenPolicyStaysInForceAsItLastWas) {
  const auto store = NewPolicyStore();
  store->Put("strict", Policy(1));
  store->PutBroken("strict", Policy(1));
  EXPECT_EQ(NameFor(*store, kGpuJob), "strict");
  EXPECT_EQ(store->PolicyFor(kGpuJob)->spec.node_faults, "Allowed");
}

TEST(PolicyStoreTest, ABrokenPolicyThatWasNeverValidRestrictsAllItCouldBeFor) {
  const auto store = NewPolicyStore();
  crds::AttributionPolicySpec broken = Policy(500);
  broken.evidence.redact = {"(", "secret-\\d+"};
  store->PutBroken("strict", broken);
  store->Put("before", Policy(1));
  EXPECT_EQ(store->PolicyFor(kGpuJob)->spec.node_faults, "Allowed") << "it comes before";
  store->Remove("before");
  store->Put("after", Policy(900));
  EXPECT_EQ(store->PolicyFor(kGpuJob)->spec.node_faults, "Forbidden");
  EXPECT_EQ(store->PolicyFor(kGpuJob)->spec.evidence.redact,
            std::vector<std::string>{"secret-\\d+"});
  store->Remove("after");
  EXPECT_EQ(store->PolicyFor(kGpuJob)->spec.node_faults, "Forbidden") << "the default";
  store->Put("strict", Policy(500));
  EXPECT_EQ(store->PolicyFor(kGpuJob)->spec.node_faults, "Allowed");
  store->PutBroken("unreadable", std::nullopt);
  EXPECT_EQ(store->PolicyFor(kGpuJob)->spec.node_faults, "Forbidden");
  store->Remove("unreadable");
  EXPECT_EQ(store->PolicyFor(kGpuJob)->spec.node_faults, "Allowed");
}

TEST(PolicyStoreTest, SaysWhatTheSchemaCannotTell) {
  crds::AttributionPolicySpec spec;
  EXPECT_EQ(ProblemOf(spec), "");
  spec.evidence.redact = {"(a"};
  EXPECT_EQ(ProblemOf(spec), "spec.evidence.redact: \"(a\": missing ): (a");
  spec.evidence.redact.clear();
  spec.match.namespace_selector.match_expressions = {{"team", "In", {}}};
  EXPECT_EQ(ProblemOf(spec),
            "spec.match.namespaceSelector.matchExpressions[0].values: In needs at least one value");
}

}  // namespace
}  // namespace controllers
