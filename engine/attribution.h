// SPDX-License-Identifier: Apache-2.0
// The answer: what the engine concludes of one workload. Field for field the status of the
// Attribution resource, less what only a cluster knows.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/source.h"
#include "engine/time.h"

namespace engine {

enum class Result { kFailed, kCancelled, kSucceeded, kUnknown };
enum class Domain { kUser, kHardware, kNetwork, kStorage, kPlatform, kUnknown };
enum class EvidenceLevel { kHypothesis, kSupported, kEstablished };  // ascending
enum class Role { kRoot, kAmbiguous, kCascade, kTeardown, kBenign };
enum class Uncertainty {
  kNone,
  kNodeLogsMissing,
  kLogsRotated,
  kOnlyEffects,
  kAmbiguous,
  kNoEvidence,
  kRemoteCluster,
};

std::string_view ToString(Result value);
std::string_view ToString(Domain value);
std::string_view ToString(EvidenceLevel value);
std::string_view ToString(Role value);
std::string_view ToString(Uncertainty value);

struct Culprit {
  std::string node;
  std::string gpu_uuid;
  std::string pci_address;  // normalised: "0000:3b:00"
  std::optional<int> rank;
};

// Who ended the workload without it having failed.
struct Actor {
  std::string kind;  // "Kueue", "Scheduler", "Node", "Cloud", "Person", ...
  std::string name;
  std::string reason;
};

struct Verdict {
  Result result = Result::kUnknown;
  Domain domain = Domain::kUnknown;
  std::vector<Domain> other_domains;  // sorted, at most 4
  EvidenceLevel evidence_level = EvidenceLevel::kHypothesis;
  std::string symptom;  // catalog id; empty when nothing was found
  std::string title;    // the catalog's title of that symptom
  Culprit culprit;
  std::string message;  // one sentence that a person can act on
  Uncertainty uncertainty = Uncertainty::kNone;
  std::vector<Actor> actors;  // at most 4
  // The catalog's recommended actions, at most 8; for Unknown, what would settle it.
  std::vector<std::string> actions;
  // True only if the level is Established, the catalog marks the symptom taint: "Yes" and a
  // culprit node is known. The only thing that may lead to a NodeFault.
  bool node_fault = false;
};

// The exact line that decided.
struct RootLine {
  Source source = Source::kAppLog;
  Trust trust = Trust::kWorkload;
  std::string object;  // as the stream named it: "pod/train-0", "node/n1"
  std::string container;
  std::string rule;  // the extractor (or refiner) that made the symptom
  std::optional<Time> time;
  std::int64_t line_number = 0;     // 1-based within its stream
  std::string line;                 // visible text: no control characters, valid UTF-8, redacted
  std::vector<std::string> before;  // at most 5
  std::vector<std::string> after;   // at most 5
};

// One kind of symptom at one place (node, GPU, rank), repeats folded into it.
struct SymptomReport {
  std::string id;       // unique within the attribution, stable: "s1", "s2", ...
  std::string symptom;  // catalog id
  Role role = Role::kRoot;
  std::string node;
  std::string gpu_uuid;
  std::string pci_address;
  std::optional<int> rank;
  std::optional<Time> first_time;
  std::optional<Time> last_time;
  std::int64_t count = 0;
  std::string explained_by;  // id of another entry; empty: unexplained
  std::string rule;
  Source source = Source::kAppLog;
  Trust trust = Trust::kWorkload;
  std::string line;
  std::int64_t line_number = 0;
  std::string stream;  // the stream's id
};

struct NodeReport {
  enum class NodeRole { kCulprit, kSuspect, kVictim };
  std::string name;
  NodeRole role = NodeRole::kVictim;
};
std::string_view ToString(NodeReport::NodeRole value);

// How much of a source was seen, in streams; and how much was read.
struct EvidenceReport {
  Source source = Source::kAppLog;
  std::int64_t complete = 0;
  std::int64_t partial = 0;
  std::int64_t missing = 0;
  std::int64_t forbidden = 0;
  std::int64_t lines = 0;
  std::int64_t bytes = 0;
};

// Why something was not seen, and what would close the gap.
struct Gap {
  Source source = Source::kAppLog;
  std::string object;
  std::string reason;  // CamelCase: "LogRotated", "Forbidden", "PodDeleted", ...
  std::string message;
};

// What a collector found.
struct Fact {
  enum class State { kFound, kNotFound, kFailed };
  std::string name;
  std::string value;
  State state = State::kNotFound;
};
std::string_view ToString(Fact::State value);

struct Attribution {
  Verdict verdict;
  std::optional<RootLine> root;
  std::vector<std::string> tail;         // for Unknown: at most 40 redacted lines
  std::vector<SymptomReport> symptoms;   // at most 32, roots first, then by time and place
  std::vector<NodeReport> nodes;         // at most 32, implicated ones only
  std::vector<EvidenceReport> evidence;  // by source
  std::vector<Gap> gaps;                 // at most 32
  std::vector<Fact> facts;               // by name, at most 32
};

// The same keys and words as the Attribution resource's status (camelCase); deterministic.
nlohmann::ordered_json ToJson(const Attribution& attribution);

}  // namespace engine
