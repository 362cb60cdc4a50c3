// SPDX-License-Identifier: Apache-2.0
// The way of a saved log into a case.
#pragma once

#include <memory>
#include <string_view>

#include "engine/attribution.h"
#include "engine/case.h"
#include "operator/saved_logs/line_split.h"

namespace app {

// One stream; of a system log two, since its lines with the kernel's tag count as Kernel (a person
// vouches for the file). Used by one thread.
class LogStreams {
 public:
  // Opens them in `one`, which must outlive it. `log.object` tells the log from all others of the
  // case; the second stream's id is the first one's and "#kernel".
  LogStreams(engine::Case& one, const engine::Stream& log);
  LogStreams(const LogStreams&) = delete;
  LogStreams& operator=(const LogStreams&) = delete;

  // Bytes as they come; lines may be split anywhere.
  void Write(std::string_view bytes);
  // Ends the streams: a last line without a line break counts.
  void Finish(engine::Coverage coverage);

  // The engine counts the lines of its streams; people count those of the file. Puts the latter
  // into what the case's attribution says of this log.
  void TellLinesOfTheLog(engine::Attribution& attribution) const;

 private:
  engine::Case& case_;
  const engine::Stream log_;
  engine::StreamId stream_ = -1;
  engine::StreamId kernel_stream_ = -1;
  std::unique_ptr<LineSplit> split_;  // of a system log
};

}  // namespace app
