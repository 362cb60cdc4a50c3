// SPDX-License-Identifier: Apache-2.0
#include "operator/progress_bar.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace app {
namespace {

constexpr std::int64_t kWidth = 20;
constexpr std::chrono::milliseconds kFirst{1000};
constexpr std::chrono::milliseconds kInterval{200};
// Back to the line's beginning, the rest of it erased.
constexpr char kEraseLine[] = "\r\x1b[K";

std::string Size(double bytes) {
  if (bytes < 1e6) return fmt::format("{:.0f} kB", bytes / 1e3);
  if (bytes < 1e9) return fmt::format("{:.0f} MB", bytes / 1e6);
  return fmt::format("{:.1f} GB", bytes / 1e9);
}

}  // namespace

std::string ProgressText(std::int64_t logs_done, std::int64_t logs, std::int64_t bytes,
                         std::chrono::duration<double> elapsed) {
  const auto filled = static_cast<std::size_t>(logs > 0 ? kWidth * logs_done / logs : 0);
  const auto all = static_cast<double>(bytes);
  return fmt::format("[{:.<{}}] {} of {} {}, {}, {}/s", std::string(filled, '#'), kWidth, logs_done,
                     logs, logs == 1 ? "log" : "logs", Size(all),
                     Size(all / std::max(elapsed.count(), 0.001)));
}

ProgressBar::ProgressBar(const ReadingProgress& progress) : progress_(progress) {
  if (isatty(STDERR_FILENO) == 1) thread_ = std::thread([this] { Run(); });
}

ProgressBar::~ProgressBar() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_all();
  thread_.join();
}

void ProgressBar::Run() {
  const auto began = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  bool shown = false;
  std::chrono::milliseconds wait = kFirst;
  while (!ended_.wait_for(lock, wait, [this] { return end_; })) {
    fmt::print(stderr, "{}{}", kEraseLine,
               ProgressText(progress_.logs_done, progress_.logs, progress_.bytes,
                            std::chrono::steady_clock::now() - began));
    std::fflush(stderr);
    shown = true;
    wait = kInterval;
  }
  if (shown) fmt::print(stderr, "{}", kEraseLine);
}

}  // namespace app
