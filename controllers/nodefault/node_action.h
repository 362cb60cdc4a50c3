// SPDX-License-Identifier: Apache-2.0
// Whether the operator may keep the scheduler away from a node because of one NodeFault. Pure:
// facts in, decision out; nothing is read or written here, so every refusal can be tested by a
// table.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "engine/attribution.h"
#include "engine/time.h"

namespace controllers {

// What has been done to the node for this fault so far.
enum class TaintState {
  kNone,           // nothing yet
  kConditionOnly,  // we set the condition, and the policy did not allow the taint
  kTainted,        // we tainted the node for it (its own record or the node's annotation says so)
  kReleased,       // a person ended it: for good
};

// Everything the decision rests on, read live just before. Plain values.
struct NodeActionFacts {
  engine::Time now;

  // The fault.
  std::string fault;                           // its name
  std::string node;                            // the node's name
  std::string symptom;                         // catalog id
  std::optional<engine::EvidenceLevel> level;  // unset: its status was never written
  std::optional<engine::Time> last_time;       // of the newest record that proves it
  std::string boot_id;                         // under which that record was written
  TaintState state = TaintState::kNone;
  std::string release_reason;  // spec.release.reason; release_asked if spec.release is there
  bool release_asked = false;
  // What the attributions that reported it say now.
  enum class Report { kSettling, kStands, kWithdrawn };
  Report report = Report::kSettling;
  int nodes_with_symptom = 1;  // with a fault of the same symptom within kCorrelationWindow

  // The node.
  bool node_exists = true;
  std::string node_boot_id;
  bool opted_out = false;      // label attribution.dev/node-actions=disabled
  bool taint_present = false;  // our key, whoever put it there
  bool taint_is_ours = false;  // it is there, or about to be, for another fault of ours

  // The NodeActionPolicy in force for the node; empty: none, and policy_problem may say why.
  std::string policy;
  std::string policy_problem;
  bool enforce = false;
  bool may_act = true;  // the operator was started with the right to act on nodes
  bool action_condition = true;
  bool action_taint = true;
  engine::EvidenceLevel min_level = engine::EvidenceLevel::kEstablished;
  // The policy names the symptom, or names none at all: then every fault is wanted, since a
  // NodeFault is only made for symptoms that the catalog marks taint: "Yes".
  bool symptom_allowed = false;
  std::chrono::seconds action_deadline{900};
  std::int64_t max_unavailable = 0;  // resolved against pool_size
  std::int64_t max_per_hour = 0;

  // The pool: the policy's nodes.
  std::int64_t pool_size = 0;
  std::int64_t unavailable_others = 0;  // unavailable nodes of the pool, this one not counted
  std::int64_t acted_last_hour = 0;     // see ActedLastHour
};

struct NodeActionDecision {
  enum class Kind {
    kRefuse,   // nothing is done to the node; reason says why
    kWait,     // as kRefuse, but look again after retry_after
    kAct,      // write what condition and taint say, then record Tainted
    kKeep,     // it is as it should be
    kRelease,  // the fault no longer needs the node to be kept free
  };
  Kind kind = Kind::kRefuse;
  bool condition = false;  // kAct, kKeep: the node is to carry the condition for this fault
  bool taint = false;      // kAct, kKeep: the node is to carry the taint for this fault
  std::string reason;      // of condition Tainted; CamelCase
  std::string message;     // a sentence for people
  std::chrono::seconds retry_after{0};
};

// At least this many nodes with the same symptom in the window are not that many broken nodes.
inline constexpr int kCorrelatedNodes = 3;
inline constexpr std::chrono::minutes kCorrelationWindow{30};

NodeActionDecision DecideNodeAction(const NodeActionFacts& facts);

// maxUnavailable as in a PodDisruptionBudget: "3" or "5%", a percentage rounded up. nullopt when
// it is neither.
std::optional<std::int64_t> ResolveMaxUnavailable(const std::string& text, std::int64_t pool_size);

}  // namespace controllers
