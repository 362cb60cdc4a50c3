// SPDX-License-Identifier: Apache-2.0
#include "operator/saved_logs/log_streams.h"

#include <string>

#include "engine/source.h"

namespace app {
namespace {

using engine::Source;

// The two streams of a system log have one object; this sets their ids apart.
constexpr char kKernelPart[] = "#kernel";

}  // namespace

LogStreams::LogStreams(engine::Case& one, const engine::Stream& log)
    : case_(one), log_(log), stream_(one.Open(log)) {
  if (log.source != Source::kSyslog) return;
  engine::Stream kernel = log;
  kernel.source = Source::kKernel;
  kernel.id += kKernelPart;
  kernel_stream_ = one.Open(std::move(kernel));
  split_ = std::make_unique<LineSplit>([this](bool kernel_line, std::string_view part) {
    case_.Ingest(kernel_line ? kernel_stream_ : stream_, part);
  });
}

void LogStreams::Write(std::string_view bytes) {
  if (split_) {
    split_->Write(bytes);
  } else {
    case_.Ingest(stream_, bytes);
  }
}

void LogStreams::Finish(engine::Coverage coverage) {
  if (split_) split_->Finish();
  case_.Close(stream_, coverage);
  if (kernel_stream_ >= 0) case_.Close(kernel_stream_, coverage);
}

void LogStreams::TellLinesOfTheLog(engine::Attribution& attribution) const {
  if (!split_) return;
  if (attribution.root && attribution.root->object == log_.object) {
    attribution.root->line_number = split_->LineInLog(attribution.root->source == Source::kKernel,
                                                      attribution.root->line_number);
  }
  for (engine::SymptomReport& symptom : attribution.symptoms) {
    const bool kernel = symptom.stream == log_.id + kKernelPart;
    if (kernel || symptom.stream == log_.id) {
      symptom.line_number = split_->LineInLog(kernel, symptom.line_number);
    }
  }
}

}  // namespace app
