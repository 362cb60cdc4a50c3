// SPDX-License-Identifier: Apache-2.0
#include "controllers/evidence/pod_log_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <nlohmann/json.hpp>
#include <utility>

#include "controllers/evidence/pause.h"

namespace controllers {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using Next = LogSlots::Next;

constexpr std::size_t kChunk = 64 * 1024;
// A container that says nothing for longer than this after its start is taken for one whose first
// log file was rotated away: better a gap that is none than a root that nobody saw.
constexpr std::chrono::minutes kQuietStart{2};
// Log files are rotated at 10 MiB (the kubelet's containerLogMaxSize by default), its framing of
// the lines included, which is not read here. A container that had written so much before it was
// first looked at may have written more.
constexpr std::int64_t kLogFileBytes = 8 << 20;
// Between a container's start and what it prints first, if its start is in whole seconds.
constexpr std::chrono::seconds kPromptStart{1};
// The pace of an output: of what goes on for this long, not of a burst.
constexpr std::chrono::seconds kSteadyOutput{5};
constexpr std::int64_t kTailLines = 1000;
constexpr std::int64_t kMaxTail = 1 << 20;
// Lines can be long: what is read to get at the last of them.
constexpr std::int64_t kMaxTailRead = 16 << 20;

std::int64_t TailBytes(std::int64_t max_bytes) { return std::min(max_bytes / 4, kMaxTail); }

}  // namespace

PodLogReader::PodLogReader(kube::Client& client, PodLogTarget target, ByteBudget& budget,
                           LogSink& sink, const LogTiming& timing)
    : client_(client),
      target_(std::move(target)),
      budget_(budget),
      sink_(sink),
      timing_(timing),
      ended_(target_.previous),
      previous_(target_.previous) {}

Next PodLogReader::Read(LogSlots::Turn& turn) {
  while (!turn.stop().stop_requested()) {
    try {
      if (const auto next = Attempt(turn)) return *next;
    } catch (const kube::ApiError& error) {
      if (const auto next = Failed(error, turn)) return *next;
    }
  }
  return Next::kAgain;
}

std::optional<Next> PodLogReader::Attempt(LogSlots::Turn& turn) {
  if (at_limit_) {
    if (!ended_ && !sealed_) return Next::kPark;
    ReadTail(turn);
    return Finish({"ByteLimit",
                   fmt::format("Only the first {} bytes and the last lines (at most {}) were read; "
                               "maxBytesPerContainer or maxBytesPerWorkload allows no more.",
                               bytes_, kTailLines)});
  }
  switch (Follow(turn)) {
    case Step::kEnd:
      return Finish();
    case Step::kLimit:
      at_limit_ = true;
      return std::nullopt;
    case Step::kAgain:
      break;
  }
  return std::nullopt;
}

PodLogReader::Step PodLogReader::Follow(LogSlots::Turn& turn) {
  const bool ended_before = ended_ || sealed_;
  const bool previous = previous_;
  const std::unique_ptr<kube::ByteStream> stream = client_.Logs(target_.pod,
                                                                {.container = target_.container,
                                                                 .follow = !previous,
                                                                 .previous = previous,
                                                                 .timestamps = true,
                                                                 .tail_lines = {},
                                                                 .since_time = position_.Resume()},
                                                                {.stop = turn.stop()});
  buffer_.Clear();  // a line that was cut comes again as a whole
  const std::int64_t head = target_.max_bytes - TailBytes(target_.max_bytes);
  std::string chunk(kChunk, '\0');
  milliseconds quiet{0};
  while (true) {
    std::size_t size = 0;
    try {
      size = stream->Read(chunk.data(), chunk.size(), timing_.idle);
    } catch (const kube::ApiError& error) {
      if (error.reason != kube::ErrorReason::kTimeout) throw;
      away_since_.reset();
      caught_up_ = true;
      turn.CaughtUp();
      quiet += timing_.idle;
      if (ended_ ? quiet >= timing_.ended_quiet : sealed_ && quiet >= timing_.sealed_quiet) {
        return Step::kEnd;
      }
      continue;
    }
    if (size == 0) break;
    quiet = {};
    away_since_.reset();
    stream_ended_ = false;
    Take(std::string_view(chunk).substr(0, size));
    if (bytes_ >= head || budget_.Exhausted()) return Step::kLimit;
  }
  if (!buffer_.rest().empty()) Take("\n");  // a last line without a break counts
  if (ended_before) return Step::kEnd;
  // A stream also ends when the API server is told to stop: look once more when the run has ended.
  stream_ended_ = true;
  WaitForEnd(turn.stop());
  return Step::kAgain;
}

void PodLogReader::Take(std::string_view bytes) {
  batch_.clear();
  buffer_.Feed(bytes, [&](std::string_view line) {
    if (!position_.Take(line)) return;
    batch_ += line;
    batch_ += '\n';
  });
  // Also what is passed over of an endless line has been read.
  const auto read = static_cast<std::int64_t>(bytes.size());
  bytes_ += read;
  if (!caught_up_) {
    backlog_ += read;
    backlog_end_ = position_.newest();
  }
  budget_.Take(read);
  if (!batch_.empty()) sink_.Lines(batch_);
}

void PodLogReader::ReadTail(LogSlots::Turn& turn) {
  const std::unique_ptr<kube::ByteStream> stream = client_.Logs(target_.pod,
                                                                {.container = target_.container,
                                                                 .follow = false,
                                                                 .previous = previous_,
                                                                 .timestamps = true,
                                                                 .tail_lines = kTailLines,
                                                                 .since_time = {}},
                                                                {.stop = turn.stop()});
  const auto limit = static_cast<std::size_t>(TailBytes(target_.max_bytes));
  std::deque<std::string> lines;
  std::size_t held = 0;
  const auto keep = [&](std::string_view line) {
    const auto time = TimeOfLogLine(line);
    if (time && position_.newest() && *time <= *position_.newest()) return;
    held += lines.emplace_back(line).size();
    while (held > limit && lines.size() > 1) {
      held -= lines.front().size();
      lines.pop_front();
    }
  };
  LineBuffer buffer;
  std::string chunk(kChunk, '\0');
  std::int64_t read = 0;
  while (const std::size_t size = stream->Read(chunk.data(), chunk.size(), timing_.last_retry)) {
    buffer.Feed(std::string_view(chunk).substr(0, size), keep);
    read += static_cast<std::int64_t>(size);
    if (read > kMaxTailRead) break;
  }
  if (!buffer.rest().empty()) buffer.Feed("\n", keep);
  for (const std::string& line : lines) sink_.Lines(line + '\n');
}

std::optional<Next> PodLogReader::Failed(const kube::ApiError& error, LogSlots::Turn& turn) {
  using kube::ErrorReason;
  switch (error.reason) {
    case ErrorReason::kCancelled:
      return Next::kAgain;
    case ErrorReason::kNotFound:
      // The stream had ended before the pod went, and nothing else speaks against its end.
      if (stream_ended_) return Finish();
      // Lines that came before are worth what they are.
      return Finish({"PodDeleted",
                     "The pod was deleted before its log was read to the end. Keep failed pods "
                     "(podReplacementPolicy, a longer terminationGracePeriodSeconds).",
                     position_.newest() ? engine::Coverage::kPartial : engine::Coverage::kMissing});
    case ErrorReason::kForbidden:
    case ErrorReason::kUnauthorized:
      return Finish({"Forbidden", error.what(), engine::Coverage::kForbidden});
    case ErrorReason::kBadRequest:
      if (previous_) {
        return Finish({"PreviousLogRemoved",
                       "The log of the container's previous run is no longer there.",
                       engine::Coverage::kMissing});
      }
      if (!sealed_) break;  // has not started yet, by the kubelet's account
      return Finish({"LogUnavailable", error.what(), engine::Coverage::kMissing});
    case ErrorReason::kUnavailable:
    case ErrorReason::kTimeout:
    case ErrorReason::kTooManyRequests:
    case ErrorReason::kInternal:
      break;
    default:
      return Finish({"LogUnavailable", error.what(), engine::Coverage::kMissing});
  }
  const auto now = steady_clock::now();
  if (!away_since_) {
    away_since_ = now;
    retry_ = timing_.first_retry;
  }
  const milliseconds patience = error.http_status == 0 ? timing_.server_away : timing_.node_away;
  if (sealed_ && now - *away_since_ > patience) {
    return Finish({"LogUnavailable", error.what(),
                   position_.newest() ? engine::Coverage::kPartial : engine::Coverage::kMissing});
  }
  if (!Pause(turn.stop(), retry_)) return Next::kAgain;
  retry_ = std::min(2 * retry_, timing_.last_retry);
  return std::nullopt;
}

// `silence` is the time between the container's start and the first line that is there.
bool PodLogReader::MayHaveBeenRotated(std::chrono::nanoseconds silence) const {
  if (silence <= kPromptStart) return false;
  if (silence > kQuietStart || backlog_ >= kLogFileBytes) return true;
  // A file that was begun a moment ago is short: would its output have filled the one before?
  if (!backlog_end_ || *backlog_end_ - *position_.first() < kSteadyOutput) return false;
  const std::chrono::duration<double> told = *backlog_end_ - *position_.first();
  return static_cast<double>(backlog_) / told.count() *
             std::chrono::duration<double>(silence).count() >=
         static_cast<double>(kLogFileBytes);
}

Next PodLogReader::Finish(LogGap gap) {
  gaps_.push_back(std::move(gap));
  return Finish();
}

Next PodLogReader::Finish() {
  const auto first = position_.first();
  if (first && target_.start && MayHaveBeenRotated(*first - *target_.start)) {
    gaps_.push_back(
        {"LogRotated",
         fmt::format("The log begins at {}, its container at {}: what was printed "
                     "before was rotated away. Raise the kubelet's containerLogMaxSize.",
                     engine::FormatTime(*first), engine::FormatTime(*target_.start)),
         engine::Coverage::kPartial});
  } else if (position_.lost()) {
    gaps_.push_back({"LogRotated",
                     "The log was rotated while the connection was cut; lines between are lost.",
                     engine::Coverage::kPartial});
  }
  auto coverage = engine::Coverage::kComplete;
  for (const LogGap& gap : gaps_) coverage = std::max(coverage, gap.coverage);
  // A session may hold thousands of readers that are done.
  batch_ = {};
  buffer_ = {};
  sink_.End(coverage, gaps_);
  return Next::kDone;
}

void PodLogReader::WaitForEnd(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, stop, timing_.end_wait, [&] { return ended_ || sealed_; });
}

void PodLogReader::RunEnded() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

void PodLogReader::BecamePrevious() {
  const std::lock_guard lock(mutex_);
  previous_ = true;
  ended_ = true;
  changed_.notify_all();
}

void PodLogReader::Seal() {
  const std::lock_guard lock(mutex_);
  sealed_ = true;
  changed_.notify_all();
}

}  // namespace controllers
