// SPDX-License-Identifier: Apache-2.0
// The order of the checks is the order of values: what people decided comes first, then what was
// already done, then every reason not to act, and the budget last, because it is the only one that
// other nodes can change.
#include "controllers/nodefault/node_action.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace controllers {
namespace {

using Kind = NodeActionDecision::Kind;

// How long until an attribution that is still settling is looked at again. Its own status change
// comes sooner; this only covers a missed one.
constexpr std::chrono::seconds kSettlingRetry{5};
// A full budget empties when nodes come back or the hour has passed; neither need be seen as an
// event of this node.
constexpr std::chrono::seconds kBudgetRetry{60};

NodeActionDecision Refuse(std::string reason, std::string message) {
  return {.kind = Kind::kRefuse, .reason = std::move(reason), .message = std::move(message)};
}

NodeActionDecision Wait(std::string reason, std::string message, std::chrono::seconds retry) {
  return {.kind = Kind::kWait,
          .reason = std::move(reason),
          .message = std::move(message),
          .retry_after = retry};
}

NodeActionDecision Release(std::string message) {
  return {.kind = Kind::kRelease, .reason = "Released", .message = std::move(message)};
}

// What a person has already decided, or what is already done. nullopt: nothing of that.
std::optional<NodeActionDecision> AlreadyDecided(const NodeActionFacts& f) {
  if (f.release_asked) {
    return Release(fmt::format("Released by spec.release: {}",
                               f.release_reason.empty() ? "no reason given" : f.release_reason));
  }
  if (f.state == TaintState::kReleased) {
    return Release("Released before; a fault that was released is never acted on again.");
  }
  if (!f.node_exists) {
    return Refuse("NodeGone", fmt::format("Node {} does not exist.", f.node));
  }
  if (f.state == TaintState::kTainted) {
    if (!f.taint_present) {
      return Release(
          "The taint was removed from the node by somebody else, which counts as a release; it "
          "will not be put back for this fault.");
    }
    return NodeActionDecision{.kind = Kind::kKeep,
                              .condition = f.action_condition,
                              .taint = true,
                              .reason = "Tainted",
                              .message = fmt::format("Node {} is kept free of new pods.", f.node)};
  }
  if (f.state == TaintState::kConditionOnly) {
    return NodeActionDecision{.kind = Kind::kKeep,
                              .condition = true,
                              .reason = "ConditionOnly",
                              .message =
                                  "The node carries the condition; the policy in force when "
                                  "it was set did not allow the taint."};
  }
  if (f.taint_present && !f.taint_is_ours) {
    return Refuse("AlreadyUnavailable",
                  "The node already carries the taint, put there by somebody else; it is left "
                  "alone, and so is its removal.");
  }
  return std::nullopt;
}

// Why the policy does not want this fault acted on.
std::optional<NodeActionDecision> PolicyRefuses(const NodeActionFacts& f) {
  if (f.policy.empty()) {
    return Refuse("NoPolicy", f.policy_problem.empty()
                                  ? std::string("No NodeActionPolicy selects this node.")
                                  : f.policy_problem);
  }
  if (!f.symptom_allowed) {
    return Refuse("NotAllowed", fmt::format("NodeActionPolicy {} does not list {} in symptoms.",
                                            f.policy, f.symptom));
  }
  if (!f.level) {
    // Being recorded is an event of its own, so there is nothing to wait for here.
    return Refuse("Settling", "What the fault rests on has not been recorded.");
  }
  if (*f.level < f.min_level) {
    return Refuse("NotAllowed",
                  fmt::format("The evidence is {}, NodeActionPolicy {} asks for {}.",
                              engine::ToString(*f.level), f.policy, engine::ToString(f.min_level)));
  }
  if (f.opted_out) {
    return Refuse(
        "OptedOut",
        fmt::format("Node {} carries the label attribution.dev/node-actions=disabled.", f.node));
  }
  return std::nullopt;
}

// Why the record may no longer be about the node as it is now, or not about this node at all.
std::optional<NodeActionDecision> RecordRefuses(const NodeActionFacts& f) {
  if (f.boot_id.empty() || f.node_boot_id.empty()) {
    return Refuse("Stale", "It is not known under which boot of the node the fault was recorded.");
  }
  if (f.boot_id != f.node_boot_id) {
    return Refuse("Stale", "The node has booted since the fault was recorded.");
  }
  if (!f.last_time) {
    return Refuse("Stale", "The time of the record that proves the fault is not known.");
  }
  if (f.now - *f.last_time > f.action_deadline) {
    return Refuse(
        "Stale",
        fmt::format("The record is {} s old, older than actionDeadlineSeconds ({}).",
                    std::chrono::duration_cast<std::chrono::seconds>(f.now - *f.last_time).count(),
                    f.action_deadline.count()));
  }
  if (f.nodes_with_symptom >= kCorrelatedNodes) {
    return Refuse("Correlated",
                  fmt::format("{} nodes report {} within {} minutes: that is not {} broken nodes.",
                              f.nodes_with_symptom, f.symptom, kCorrelationWindow.count(),
                              f.nodes_with_symptom));
  }
  if (f.report == NodeActionFacts::Report::kWithdrawn) {
    return Refuse("Withdrawn",
                  "The attributions that reported the fault have been revised: none of them blames "
                  "this node for it any more.");
  }
  if (f.report == NodeActionFacts::Report::kSettling) {
    return Wait("Settling", "The attribution that reported the fault has not settled.",
                kSettlingRetry);
  }
  return std::nullopt;
}

// Empty: there is room.
std::string BudgetProblem(const NodeActionFacts& f) {
  if (f.taint_is_ours) return {};  // shares the taint of another fault
  const std::int64_t after = f.unavailable_others + 1;
  if (after > f.max_unavailable) {
    return fmt::format("maxUnavailable allows {} of {} nodes, and {} others are unavailable.",
                       f.max_unavailable, f.pool_size, f.unavailable_others);
  }
  if (f.acted_last_hour >= f.max_per_hour) {
    return fmt::format("maxPerHour allows {}, and there were {} actions within the hour.",
                       f.max_per_hour, f.acted_last_hour);
  }
  return {};
}

}  // namespace

NodeActionDecision DecideNodeAction(const NodeActionFacts& f) {
  for (auto* check : {AlreadyDecided, PolicyRefuses, RecordRefuses}) {
    if (auto decision = check(f)) return *decision;
  }
  const std::string budget = BudgetProblem(f);
  if (!f.enforce) {
    return Refuse("DryRun", budget.empty()
                                ? fmt::format("NodeActionPolicy {} is a dry run; it would act on "
                                              "node {}.",
                                              f.policy, f.node)
                                : fmt::format("NodeActionPolicy {} is a dry run; it would not act: "
                                              "{}",
                                              f.policy, budget));
  }
  if (!f.may_act) {
    return Refuse("NotAllowed",
                  "The operator was installed without node actions (--node-actions and the role "
                  "that comes with it).");
  }
  if (!budget.empty()) return Wait("BudgetExceeded", budget, kBudgetRetry);
  if (!f.action_taint) {
    if (!f.action_condition) {
      return Refuse(
          "NotAllowed",
          fmt::format("NodeActionPolicy {} allows neither condition nor taint.", f.policy));
    }
    return {.kind = Kind::kAct,
            .condition = true,
            .reason = "ConditionOnly",
            .message =
                fmt::format("NodeActionPolicy {} allows the condition, not the taint.", f.policy)};
  }
  return {.kind = Kind::kAct,
          .condition = f.action_condition,
          .taint = true,
          .reason = "Tainted",
          .message = fmt::format("Node {} is kept free of new pods.", f.node)};
}

std::optional<std::int64_t> ResolveMaxUnavailable(const std::string& text, std::int64_t pool_size) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || number < 0) return std::nullopt;
  if (rest == end) return number;
  if (rest + 1 != end || *rest != '%' || number > 100) return std::nullopt;
  return (number * std::max<std::int64_t>(pool_size, 0) + 99) / 100;
}

}  // namespace controllers
