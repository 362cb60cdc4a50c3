// SPDX-License-Identifier: Apache-2.0
// How far a long reading is, on a terminal.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "operator/saved_logs/analysis.h"

namespace app {

// Writes to the standard error, if that is a terminal, from the second second on: most readings are
// over by then. Its line is gone when it is destroyed.
class ProgressBar {
 public:
  // `progress` is read until then.
  explicit ProgressBar(const ReadingProgress& progress);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar();

 private:
  void Run();

  const ReadingProgress& progress_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  std::thread thread_;  // not started without a terminal
};

// "[#####...............] 250 of 1000 logs, 2.5 GB, 1.2 GB/s". Without a line break.
std::string ProgressText(std::int64_t logs_done, std::int64_t logs, std::int64_t bytes,
                         std::chrono::duration<double> elapsed);

}  // namespace app
