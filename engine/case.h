// SPDX-License-Identifier: Apache-2.0
// One workload's evidence on its way to a verdict.
//
//   engine::Case c(ruleset, workload);
//   auto log = c.Open({.id = "pod/train-0/main", .source = engine::Source::kAppLog, ...});
//   c.Ingest(log, bytes);            // any chunking, any thread, any order of streams
//   c.Close(log, engine::Coverage::kComplete);
//   engine::Attribution a = c.Attribute(history);   // any number of times, also in between
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/attribution.h"
#include "engine/history.h"
#include "engine/ruleset.h"
#include "engine/workload.h"

namespace engine {

enum class Coverage { kComplete, kPartial, kMissing, kForbidden };

// How the bytes of a stream are laid out in front of the message.
enum class Framing {
  kDetect,               // saved files: whatever prefixes the lines have (klog, syslog, dmesg, ...)
  kKubernetesTimestamp,  // each line starts with the RFC 3339 time and a blank of pods/log
  kBare,                 // the message only; the time, if any, comes with IngestLine
};

// One stream of evidence: a container's log, a node's kernel records, a pod's status facts.
struct Stream {
  std::string id;  // unique within the case and stable: it breaks ties between equal times
  Source source = Source::kAppLog;
  // Lowers the trust below the source's default; never raises it.
  std::optional<Trust> trust;
  Framing framing = Framing::kDetect;
  std::string node;    // empty: unknown, or named by the lines themselves
  std::string object;  // "pod/train-0", "node/n1"
  std::string container;
  std::optional<int> rank;
  // Whether this is the first failed container: its last lines are kept for an Unknown verdict.
  bool first_failed = false;
};

// Caps that bound memory. What a cap keeps does not depend on arrival order.
struct Limits {
  std::size_t line_bytes = 16 * 1024;   // longer lines are cut, and the cut made visible
  std::size_t symptoms_per_kind = 256;  // distinct places per symptom
  std::size_t symptoms = 4096;
  std::size_t gaps = 32;
  std::size_t tail_lines = 40;
};

using StreamId = std::int32_t;

// Thread-safe: streams may be fed from different threads, one thread per stream at a time;
// Attribute() may run at the same time and sees a consistent prefix of each stream.
class Case {
 public:
  Case(std::shared_ptr<const Ruleset> ruleset, Workload workload, Limits limits = {});
  ~Case();
  Case(Case&&) noexcept;
  Case& operator=(Case&&) noexcept;

  // What is known of the workload may change while evidence arrives (more nodes, its end).
  void SetWorkload(Workload workload);

  // Opening an id again continues that stream; it may then turn out to be the first failed one.
  StreamId Open(Stream stream);

  // Bytes as they come; lines may be split anywhere. Invalid UTF-8 and control characters are made
  // visible before matching.
  void Ingest(StreamId stream, std::string_view bytes);

  // One message without its line break, with its own time (unset: unknown) and, for streams whose
  // records name it, its node.
  void IngestLine(StreamId stream, std::optional<Time> time, std::string_view message);

  // Ends the stream: a last line without a line break counts. More bytes may follow after Open().
  void Close(StreamId stream, Coverage coverage);

  // Something that could not be read. Also counts into the coverage of its source; nullopt: it is a
  // gap in a stream that was opened, which tells its own coverage when it is closed.
  void AddGap(const Gap& gap, std::optional<Coverage> coverage = Coverage::kMissing);

  // Extra patterns (RE2) whose matches are replaced by "[redacted]" in every reported line, beside
  // the built-in ones (bearer tokens, cloud and hub keys, private keys, URL passwords).
  // Returns RE2's message for the first bad pattern, empty when all are good.
  std::string SetRedactions(const std::vector<std::string>& patterns);

  // The verdict on what was ingested so far. Deterministic: same evidence, ruleset and history
  // give the same value, byte for byte, whatever the order or the chunking.
  Attribution Attribute(const History& history = {}) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// RE2's message for the first of the patterns that is none; empty: all are good.
std::string ProblemOfRedactions(const std::vector<std::string>& patterns);

}  // namespace engine
