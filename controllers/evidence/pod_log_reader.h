// SPDX-License-Identifier: Apache-2.0
// The log of one run of one container, read through pods/log from its start to its end.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/evidence/line_buffer.h"
#include "controllers/evidence/log_position.h"
#include "controllers/evidence/log_slots.h"
#include "controllers/evidence/log_timing.h"
#include "engine/case.h"
#include "engine/time.h"
#include "kube/client.h"

namespace controllers {

// Something of a log that was not read.
struct LogGap {
  std::string reason;  // CamelCase
  std::string message;
  engine::Coverage coverage = engine::Coverage::kPartial;
};

// Where the lines go. Called from the reader's turns only.
class LogSink {
 public:
  virtual ~LogSink() = default;
  // Complete lines, each with its break.
  virtual void Lines(std::string_view bytes) = 0;
  // Nothing more comes. Called once.
  virtual void End(engine::Coverage coverage, const std::vector<LogGap>& gaps) = 0;
};

// Bytes that all logs of a workload may take together. Thread-safe.
class ByteBudget {
 public:
  explicit ByteBudget(std::int64_t bytes) : left_(bytes) {}
  void Take(std::int64_t bytes) { left_ -= bytes; }
  bool Exhausted() const { return left_ <= 0; }

 private:
  std::atomic<std::int64_t> left_;
};

struct PodLogTarget {
  kube::ObjectKey pod;
  std::string container;
  bool previous = false;              // the run before the current one
  std::optional<engine::Time> start;  // of the run
  std::int64_t max_bytes = 0;
};

// Survives cuts of the connection, an API server that is away, and being put back into the line;
// gives each line once. Reads from the beginning: what the kubelet has rotated away shows as a
// first line long after the container's start, or as one a little after it where as much as a log
// file holds is there, or was to be expected by the pace of what is there. Above max_bytes (and
// above the workload's budget) the middle is left out: the end of a log is where most roots are, so
// its last lines are read when the container has ended.
class PodLogReader {
 public:
  // All references must outlive it.
  PodLogReader(kube::Client& client, PodLogTarget target, ByteBudget& budget, LogSink& sink,
               const LogTiming& timing);

  // One turn (LogSlots::Read).
  LogSlots::Next Read(LogSlots::Turn& turn);

  // The run has ended, by the pod's status. Thread-safe, as is all below.
  void RunEnded();
  // Another run has begun since: this one's log is now the previous one's.
  void BecamePrevious();
  // Nothing will be added: what is there is read, then it ends.
  void Seal();

 private:
  enum class Step { kEnd, kAgain, kLimit };

  std::optional<LogSlots::Next> Attempt(LogSlots::Turn& turn);
  Step Follow(LogSlots::Turn& turn);
  void ReadTail(LogSlots::Turn& turn);
  void Take(std::string_view bytes);
  // nullopt: try again now.
  std::optional<LogSlots::Next> Failed(const kube::ApiError& error, LogSlots::Turn& turn);
  bool MayHaveBeenRotated(std::chrono::nanoseconds silence) const;
  LogSlots::Next Finish();
  LogSlots::Next Finish(LogGap gap);
  void WaitForEnd(const std::stop_token& stop);

  kube::Client& client_;
  const PodLogTarget target_;
  ByteBudget& budget_;
  LogSink& sink_;
  const LogTiming timing_;

  // Only touched within turns.
  LogPosition position_;
  LineBuffer buffer_;
  std::string batch_;
  std::int64_t bytes_ = 0;
  std::int64_t backlog_ = 0;                 // bytes that were there before it came
  std::optional<engine::Time> backlog_end_;  // the time of its last line
  bool caught_up_ = false;
  bool at_limit_ = false;
  bool stream_ended_ = false;  // in an orderly way, and nothing has come since
  std::vector<LogGap> gaps_;
  std::optional<std::chrono::steady_clock::time_point> away_since_;
  std::chrono::milliseconds retry_{0};

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::atomic<bool> ended_{false};
  std::atomic<bool> sealed_{false};
  std::atomic<bool> previous_;
};

}  // namespace controllers
