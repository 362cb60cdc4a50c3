// SPDX-License-Identifier: Apache-2.0
#include "controllers/nodefault/node_action.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace controllers {
namespace {

using engine::EvidenceLevel;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using Kind = NodeActionDecision::Kind;

const engine::Time kNow{std::chrono::hours(490000)};

// A fault that everything speaks for acting on.
NodeActionFacts Clear() {
  NodeActionFacts f;
  f.now = kNow;
  f.fault = "n1-0123456789";
  f.node = "n1";
  f.symptom = "xid-79";
  f.level = EvidenceLevel::kEstablished;
  f.last_time = kNow - seconds(60);
  f.boot_id = "boot-a";
  f.report = NodeActionFacts::Report::kStands;
  f.symptom_allowed = true;
  f.node_boot_id = "boot-a";
  f.policy = "fleet";
  f.enforce = true;
  f.max_unavailable = 1;
  f.max_per_hour = 4;
  f.pool_size = 20;
  return f;
}

struct DecisionCase {
  std::string name;
  std::function<void(NodeActionFacts&)> change;
  Kind kind;
  std::string reason;
  bool condition = false;
  bool taint = false;
};

class DecideNodeActionTest : public testing::TestWithParam<DecisionCase> {};

TEST_P(DecideNodeActionTest, Decides) {
  NodeActionFacts facts = Clear();
  GetParam().change(facts);
  const NodeActionDecision decision = DecideNodeAction(facts);
  EXPECT_EQ(decision.kind, GetParam().kind) << decision.message;
  EXPECT_EQ(decision.reason, GetParam().reason) << decision.message;
  EXPECT_EQ(decision.condition, GetParam().condition);
  EXPECT_EQ(decision.taint, GetParam().taint);
  EXPECT_FALSE(decision.message.empty());
  EXPECT_EQ(decision.retry_after > seconds(0), decision.kind == Kind::kWait);
}

const std::vector<DecisionCase> kCases = {
    {"Clear", [](auto&) {}, Kind::kAct, "Tainted", true, true},
    {"TaintOnly", [](auto& f) { f.action_condition = false; }, Kind::kAct, "Tainted", false, true},
    {"ConditionOnly", [](auto& f) { f.action_taint = false; }, Kind::kAct, "ConditionOnly", true,
     false},
    {"NoActionAtAll", [](auto& f) { f.action_taint = f.action_condition = false; }, Kind::kRefuse,
     "NotAllowed"},
    {"NoPolicy", [](auto& f) { f.policy.clear(); }, Kind::kRefuse, "NoPolicy"},
    {"DryRun", [](auto& f) { f.enforce = false; }, Kind::kRefuse, "DryRun"},
    {"DryRunWithoutRoom",
     [](auto& f) {
       f.enforce = false;
       f.unavailable_others = 9;
     },
     Kind::kRefuse, "DryRun"},
    {"SymptomNotInAllowList", [](auto& f) { f.symptom_allowed = false; }, Kind::kRefuse,
     "NotAllowed"},
    {"Supported", [](auto& f) { f.level = EvidenceLevel::kSupported; }, Kind::kRefuse,
     "NotAllowed"},
    {"SupportedIsEnough",
     [](auto& f) {
       f.level = EvidenceLevel::kSupported;
       f.min_level = EvidenceLevel::kSupported;
     },
     Kind::kAct, "Tainted", true, true},
    {"StatusNeverWritten", [](auto& f) { f.level.reset(); }, Kind::kRefuse, "Settling"},
    {"OptedOut", [](auto& f) { f.opted_out = true; }, Kind::kRefuse, "OptedOut"},
    {"OtherBoot", [](auto& f) { f.node_boot_id = "boot-b"; }, Kind::kRefuse, "Stale"},
    {"BootOfFaultUnknown", [](auto& f) { f.boot_id.clear(); }, Kind::kRefuse, "Stale"},
    {"BootOfNodeUnknown", [](auto& f) { f.node_boot_id.clear(); }, Kind::kRefuse, "Stale"},
    {"BothBootsUnknown",
     [](auto& f) {
       f.boot_id.clear();
       f.node_boot_id.clear();
     },
     Kind::kRefuse, "Stale"},
    {"Replayed", [](auto& f) { f.last_time = kNow - hours(1); }, Kind::kRefuse, "Stale"},
    {"JustWithinDeadline", [](auto& f) { f.last_time = kNow - seconds(900); }, Kind::kAct,
     "Tainted", true, true},
    {"NoTime", [](auto& f) { f.last_time.reset(); }, Kind::kRefuse, "Stale"},
    {"Correlated", [](auto& f) { f.nodes_with_symptom = 3; }, Kind::kRefuse, "Correlated"},
    {"TwoNodesAreNotCorrelated", [](auto& f) { f.nodes_with_symptom = 2; }, Kind::kAct, "Tainted",
     true, true},
    {"Settling", [](auto& f) { f.report = NodeActionFacts::Report::kSettling; }, Kind::kWait,
     "Settling"},
    {"Withdrawn", [](auto& f) { f.report = NodeActionFacts::Report::kWithdrawn; }, Kind::kRefuse,
     "Withdrawn"},
    {"BudgetOfNodes", [](auto& f) { f.unavailable_others = 1; }, Kind::kWait, "BudgetExceeded"},
    {"BudgetOfZero", [](auto& f) { f.max_unavailable = 0; }, Kind::kWait, "BudgetExceeded"},
    {"BudgetOfHour", [](auto& f) { f.acted_last_hour = 4; }, Kind::kWait, "BudgetExceeded"},
    {"SharesOurTaintWithoutBudget",
     [](auto& f) {
       f.taint_present = f.taint_is_ours = true;
       f.unavailable_others = 9;
       f.acted_last_hour = 9;
     },
     Kind::kAct, "Tainted", true, true},
    {"TaintOfSomebodyElse", [](auto& f) { f.taint_present = true; }, Kind::kRefuse,
     "AlreadyUnavailable"},
    {"NodeGone", [](auto& f) { f.node_exists = false; }, Kind::kRefuse, "NodeGone"},
    {"AlreadyTainted",
     [](auto& f) {
       f.state = TaintState::kTainted;
       f.taint_present = f.taint_is_ours = true;
       f.last_time = kNow - hours(100);  // never released by time alone
       f.policy.clear();
     },
     Kind::kKeep, "Tainted", true, true},
    {"TaintRemovedByAPerson", [](auto& f) { f.state = TaintState::kTainted; }, Kind::kRelease,
     "Released"},
    {"ReleasedForGood", [](auto& f) { f.state = TaintState::kReleased; }, Kind::kRelease,
     "Released"},
    {"ReleasedForGoodThoughAnotherFaultTaints",
     [](auto& f) {
       f.state = TaintState::kReleased;
       f.taint_present = f.taint_is_ours = true;
     },
     Kind::kRelease, "Released"},
    {"ReleaseAsked",
     [](auto& f) {
       f.state = TaintState::kTainted;
       f.taint_present = f.taint_is_ours = true;
       f.release_asked = true;
     },
     Kind::kRelease, "Released"},
    {"ReleaseAskedBeforeAnything", [](auto& f) { f.release_asked = true; }, Kind::kRelease,
     "Released"},
    {"ConditionOnlyIsKept",
     [](auto& f) {
       f.state = TaintState::kConditionOnly;
       f.last_time = kNow - hours(100);
     },
     Kind::kKeep, "ConditionOnly", true, false},
    // What people decided outweighs everything; a refusal outweighs the dry run and the budget.
    {"OptedOutBeforeDryRun",
     [](auto& f) {
       f.opted_out = true;
       f.enforce = false;
     },
     Kind::kRefuse, "OptedOut"},
    {"StaleBeforeSettling",
     [](auto& f) {
       f.report = NodeActionFacts::Report::kSettling;
       f.node_boot_id = "boot-b";
     },
     Kind::kRefuse, "Stale"},
};

INSTANTIATE_TEST_SUITE_P(Table, DecideNodeActionTest, testing::ValuesIn(kCases),
                         [](const auto& tested) { return tested.param.name; });

TEST(DecideNodeActionTest, SaysWhyThereIsNoPolicy) {
  NodeActionFacts facts = Clear();
  facts.policy.clear();
  facts.policy_problem = "NodeActionPolicy a is invalid and may select this node.";
  EXPECT_EQ(DecideNodeAction(facts).message, facts.policy_problem);
}

TEST(ResolveMaxUnavailableTest, RoundsPercentagesUp) {
  EXPECT_EQ(ResolveMaxUnavailable("3", 100), 3);
  EXPECT_EQ(ResolveMaxUnavailable("0", 100), 0);
  EXPECT_EQ(ResolveMaxUnavailable("5%", 100), 5);
  EXPECT_EQ(ResolveMaxUnavailable("5%", 101), 6);
  EXPECT_EQ(ResolveMaxUnavailable("5%", 2), 1);
  EXPECT_EQ(ResolveMaxUnavailable("5%", 0), 0);
  EXPECT_EQ(ResolveMaxUnavailable("0%", 100), 0);
  EXPECT_EQ(ResolveMaxUnavailable("100%", 7), 7);
}

TEST(ResolveMaxUnavailableTest, RefusesWhatIsNeither) {
  for (const char* text :
       {"", "%", "5 %", "-1", "-1%", "101%", "5%%", "five", "5.5%", "99999999999999999999"}) {
    EXPECT_FALSE(ResolveMaxUnavailable(text, 10)) << text;
  }
}

}  // namespace
}  // namespace controllers
