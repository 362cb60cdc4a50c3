// SPDX-License-Identifier: Apache-2.0
#include "controllers/evidence/pause.h"

#include <condition_variable>
#include <mutex>

namespace controllers {

bool Pause(const std::stop_token& stop, std::chrono::milliseconds time) {
  std::mutex mutex;
  std::condition_variable_any sleep;
  std::unique_lock lock(mutex);
  sleep.wait_for(lock, stop, time, [] { return false; });
  return !stop.stop_requested();
}

}  // namespace controllers
