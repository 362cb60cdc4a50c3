// SPDX-License-Identifier: Apache-2.0
#include "operator/saved_logs/analysis.h"

#include <algorithm>
#include <atomic>
#include <span>
#include <string_view>
#include <thread>
#include <utility>

#include "engine/case.h"
#include "operator/saved_logs/kernel_tag.h"
#include "operator/saved_logs/line_split.h"
#include "operator/saved_logs/log_reader.h"

namespace app {
namespace {

using engine::Source;

constexpr std::size_t kChunkBytes = 256 * 1024;
constexpr std::size_t kMaxThreads = 16;

// The two streams of a system log have one object; this sets their ids apart.
constexpr char kKernelPart[] = "#kernel";

std::string ObjectOf(const SavedLog& log) { return log.path == "-" ? "stdin" : log.path; }

engine::Stream StreamOf(const SavedLog& log, Source source, const std::string& id_suffix = {}) {
  engine::Stream stream;
  stream.id = ObjectOf(log) + id_suffix;
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
  std::unique_ptr<LineSplit> split;  // of a system log
};

class Analysis {
 public:
  Analysis(std::shared_ptr<const engine::Ruleset> ruleset, const engine::Workload& workload,
           const std::vector<SavedLog>& logs)
      : case_(std::move(ruleset), workload), logs_(logs), outcomes_(logs.size()) {}

  SavedLogsVerdict Run() {
    const std::size_t processors = std::max(1U, std::thread::hardware_concurrency());
    const std::size_t threads = std::min({logs_.size(), processors, kMaxThreads});
    {
      std::vector<std::jthread> others;
      for (std::size_t i = 1; i < threads; ++i) others.emplace_back([this] { ReadLogs(); });
      ReadLogs();
    }
    for (const Outcome& outcome : outcomes_) AddGap(outcome.log);
    SavedLogsVerdict verdict;
    verdict.attribution = case_.Attribute();
    TellLinesOfTheLogs(verdict.attribution);
    for (Outcome& outcome : outcomes_) verdict.logs.push_back(std::move(outcome.log));
    return verdict;
  }

 private:
  void ReadLogs() {
    for (std::size_t i = next_++; i < logs_.size(); i = next_++) {
      outcomes_[i].log = {.path = logs_[i].path, .node = logs_[i].node, .rank = logs_[i].rank};
      Read(logs_[i], outcomes_[i]);
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

    const Source source = outcome.log.source;
    const engine::StreamId stream = case_.Open(StreamOf(log, source));
    engine::StreamId kernel_stream = -1;
    if (source == Source::kSyslog) {
      kernel_stream = case_.Open(StreamOf(log, Source::kKernel, kKernelPart));
      outcome.split = std::make_unique<LineSplit>(
          [this, stream, kernel_stream](bool kernel, std::string_view part) {
            case_.Ingest(kernel ? kernel_stream : stream, part);
          });
    }
    for (; !bytes.empty(); bytes = read()) {
      outcome.log.bytes += static_cast<std::int64_t>(bytes.size());
      if (outcome.split) {
        outcome.split->Write(bytes);
      } else {
        case_.Ingest(stream, bytes);
      }
    }
    if (outcome.split) outcome.split->Finish();
    outcome.log.problem = reader->error();
    const engine::Coverage coverage =
        outcome.log.problem.empty() ? engine::Coverage::kComplete : engine::Coverage::kPartial;
    case_.Close(stream, coverage);
    if (kernel_stream >= 0) case_.Close(kernel_stream, coverage);
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

  // The engine counts the lines of its streams; people count those of the file.
  void TellLinesOfTheLogs(engine::Attribution& attribution) const {
    for (std::size_t i = 0; i < logs_.size(); ++i) {
      const LineSplit* split = outcomes_[i].split.get();
      if (split == nullptr) continue;
      const std::string object = ObjectOf(logs_[i]);
      if (attribution.root && attribution.root->object == object) {
        attribution.root->line_number = split->LineInLog(
            attribution.root->source == Source::kKernel, attribution.root->line_number);
      }
      for (engine::SymptomReport& symptom : attribution.symptoms) {
        const bool kernel = symptom.stream == object + kKernelPart;
        if (kernel || symptom.stream == object) {
          symptom.line_number = split->LineInLog(kernel, symptom.line_number);
        }
      }
    }
  }

  engine::Case case_;
  const std::vector<SavedLog>& logs_;
  std::vector<Outcome> outcomes_;  // one per log, written by the thread that reads it
  std::atomic<std::size_t> next_{0};
};

}  // namespace

SavedLogsVerdict AnalyzeSavedLogs(std::shared_ptr<const engine::Ruleset> ruleset,
                                  const engine::Workload& workload,
                                  const std::vector<SavedLog>& logs) {
  return Analysis(std::move(ruleset), workload, logs).Run();
}

}  // namespace app
