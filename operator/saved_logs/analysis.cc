// SPDX-License-Identifier: Apache-2.0
#include "operator/saved_logs/analysis.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <span>
#include <string_view>
#include <thread>
#include <utility>

#include "engine/case.h"
#include "operator/saved_logs/date_in_text.h"
#include "operator/saved_logs/kernel_tag.h"
#include "operator/saved_logs/log_reader.h"
#include "operator/saved_logs/log_streams.h"

namespace app {
namespace {

using engine::Source;

constexpr std::size_t kChunkBytes = 256 * 1024;
constexpr std::size_t kMaxThreads = 16;
// Where a log's dates are looked for.
constexpr std::size_t kHeadBytes = 16 * 1024;

std::string ObjectOf(const SavedLog& log) { return log.path == "-" ? "stdin" : log.path; }

engine::Stream StreamOf(const SavedLog& log, Source source) {
  engine::Stream stream;
  stream.id = ObjectOf(log);
  stream.source = source;
  stream.framing = engine::Framing::kDetect;
  stream.node = log.node;
  stream.object = ObjectOf(log);
  stream.rank = log.rank;
  // Nobody says which container failed first, so that of every program's log the end is kept.
  stream.first_failed = source == Source::kAppLog;
  return stream;
}

// Text has no NUL in its first bytes; archives, core dumps and checkpoints do.
bool LooksBinary(std::string_view head) {
  return head.substr(0, 4096).find('\0') != std::string_view::npos;
}

// What is left of one log once it is read.
struct Outcome {
  ReadLog log;
  std::unique_ptr<LogStreams> streams;  // null: skipped
};

// Logs tell each other the year: which one those mean that don't name it.
engine::Workload WithYear(engine::Workload workload, const std::vector<SavedLog>& logs) {
  if (workload.start || workload.end) return workload;
  std::vector<char> head(kHeadBytes);
  for (const SavedLog& log : logs) {
    std::string problem;
    // What comes by a pipe can be read once only.
    const auto reader =
        std::filesystem::is_regular_file(log.path) ? OpenLog(log.path, &problem) : nullptr;
    if (reader == nullptr) continue;
    const auto date = LatestDateIn({head.data(), reader->Read(head)});
    if (date && workload.about.value_or(*date) <= *date) workload.about = date;
  }
  return workload;
}

class Analysis {
 public:
  Analysis(std::shared_ptr<const engine::Ruleset> ruleset, const engine::Workload& workload,
           const std::vector<SavedLog>& logs, ReadingProgress* progress)
      : case_(std::move(ruleset), WithYear(workload, logs)),
        logs_(logs),
        outcomes_(logs.size()),
        progress_(progress) {}

  SavedLogsVerdict Run() {
    const std::size_t processors = std::max(1U, std::thread::hardware_concurrency());
    if (progress_ != nullptr) progress_->logs = static_cast<std::int64_t>(logs_.size());
    const std::size_t threads = std::min({logs_.size(), processors, kMaxThreads});
    {
      std::vector<std::jthread> others;
      for (std::size_t i = 1; i < threads; ++i) others.emplace_back([this] { ReadLogs(); });
      ReadLogs();
    }
    for (const Outcome& outcome : outcomes_) AddGap(outcome.log);
    SavedLogsVerdict verdict;
    verdict.attribution = case_.Attribute();
    for (Outcome& outcome : outcomes_) {
      if (outcome.streams) outcome.streams->TellLinesOfTheLog(verdict.attribution);
      verdict.logs.push_back(std::move(outcome.log));
    }
    return verdict;
  }

 private:
  void ReadLogs() {
    for (std::size_t i = next_++; i < logs_.size(); i = next_++) {
      outcomes_[i].log = {.path = logs_[i].path, .node = logs_[i].node, .rank = logs_[i].rank};
      Read(logs_[i], outcomes_[i]);
      if (progress_ != nullptr) ++progress_->logs_done;
    }
  }

  void Read(const SavedLog& log, Outcome& outcome) {
    const std::unique_ptr<LogReader> reader = OpenLog(log.path, &outcome.log.problem);
    if (reader == nullptr) {
      outcome.log.source = log.source.value_or(Source::kAppLog);
      outcome.log.skipped = true;
      return;
    }
    std::vector<char> buffer(kChunkBytes);
    const auto read = [&] { return std::string_view(buffer.data(), reader->Read(buffer)); };
    std::string_view bytes = read();
    outcome.log.source = log.source ? *log.source : SourceByContent(bytes);
    if (!log.asked_for && LooksBinary(bytes)) {
      outcome.log.problem = "is not text: left out; name it to have it read all the same";
      outcome.log.skipped = true;
      return;
    }

    outcome.streams = std::make_unique<LogStreams>(case_, StreamOf(log, outcome.log.source));
    for (; !bytes.empty(); bytes = read()) {
      outcome.log.bytes += static_cast<std::int64_t>(bytes.size());
      if (progress_ != nullptr) progress_->bytes += static_cast<std::int64_t>(bytes.size());
      outcome.streams->Write(bytes);
    }
    outcome.log.problem = reader->error();
    outcome.streams->Finish(outcome.log.problem.empty() ? engine::Coverage::kComplete
                                                        : engine::Coverage::kPartial);
  }

  void AddGap(const ReadLog& log) {
    if (log.problem.empty()) return;
    const std::string object = log.path == "-" ? "stdin" : log.path;
    if (log.skipped) {
      case_.AddGap({log.source, object, "Unreadable", log.problem}, engine::Coverage::kMissing);
    } else {
      case_.AddGap({log.source, object, "LogDamaged", log.problem}, engine::Coverage::kPartial);
    }
  }

  engine::Case case_;
  const std::vector<SavedLog>& logs_;
  std::vector<Outcome> outcomes_;  // one per log, written by the thread that reads it
  std::atomic<std::size_t> next_{0};
  ReadingProgress* const progress_;  // null: nobody asks
};

}  // namespace

SavedLogsVerdict AnalyzeSavedLogs(std::shared_ptr<const engine::Ruleset> ruleset,
                                  const engine::Workload& workload,
                                  const std::vector<SavedLog>& logs, ReadingProgress* progress) {
  return Analysis(std::move(ruleset), workload, logs, progress).Run();
}

}  // namespace app
