// SPDX-License-Identifier: Apache-2.0
#include "operator/saved_logs/line_split.h"

#include <algorithm>

#include "operator/saved_logs/kernel_tag.h"

namespace app {
namespace {

constexpr std::size_t kMaxRuns = 1'000'000;  // 16 MB

}  // namespace

void LineSplit::BeginLine(std::string_view front) {
  // What is indented goes on with the record above it.
  const bool indented = !front.empty() && (front[0] == ' ' || front[0] == '\t');
  kernel_ = CarriesKernelTag(front) || IsHeadlessKernelLine(front) || (kernel_ && indented);
  in_line_ = true;
  ++lines_;
  Stream& stream = streams_[kernel_ ? 1 : 0];
  ++stream.lines;
  const bool follows =
      !stream.runs.empty() && stream.known_lines == stream.lines - 1 &&
      lines_ - stream.runs.back().in_log == stream.lines - stream.runs.back().in_stream;
  if (!follows) {
    if (stream.runs.size() >= kMaxRuns) return;
    stream.runs.push_back({stream.lines, lines_});
  }
  stream.known_lines = stream.lines;
}

void LineSplit::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const bool whole = end != std::string_view::npos;
    std::string_view part = bytes.substr(0, whole ? end + 1 : bytes.size());
    bytes.remove_prefix(part.size());
    if (!in_line_ && front_.empty() && (whole || part.size() >= kKernelTagBytes)) {
      BeginLine(whole ? part.substr(0, part.size() - 1) : part);
    } else if (!in_line_) {
      front_.append(part);
      if (!whole && front_.size() < kKernelTagBytes) continue;
      BeginLine(whole ? std::string_view(front_).substr(0, front_.size() - 1) : front_);
      part = front_;
    }
    sink_(kernel_, part);
    front_.clear();
    if (whole) in_line_ = false;
  }
}

void LineSplit::Finish() {
  if (!front_.empty()) {
    BeginLine(front_);
    sink_(kernel_, front_);
    front_.clear();
  }
  in_line_ = false;
}

std::int64_t LineSplit::LineInLog(bool kernel, std::int64_t number) const {
  const Stream& stream = streams_[kernel ? 1 : 0];
  if (number < 1 || number > stream.known_lines) return 0;
  auto run = std::upper_bound(stream.runs.begin(), stream.runs.end(), number,
                              [](std::int64_t n, const Run& r) { return n < r.in_stream; });
  --run;
  return run->in_log + (number - run->in_stream);
}

}  // namespace app
