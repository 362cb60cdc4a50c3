// SPDX-License-Identifier: Apache-2.0
#include "kube/micro_time.h"

#include <fmt/format.h>

#include <ctime>

namespace kube {

std::string MicroTime(std::chrono::system_clock::time_point time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const std::time_t whole = std::chrono::system_clock::to_time_t(seconds);
  std::tm utc{};
  gmtime_r(&whole, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z", utc.tm_year + 1900,
                     utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec,
                     std::chrono::duration_cast<std::chrono::microseconds>(time - seconds).count());
}

}  // namespace kube
