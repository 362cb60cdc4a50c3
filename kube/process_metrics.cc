// SPDX-License-Identifier: Apache-2.0
#include "kube/process_metrics.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace kube {
namespace {

std::string Gauge(const char* name, const char* help, const char* type, double value) {
  return fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n{0} {3}\n", name, help, type, value);
}

}  // namespace

std::string ProcessMetrics() {
  std::string text;
  std::ifstream file("/proc/self/stat");
  const std::string stat{std::istreambuf_iterator<char>(file), {}};
  // The name in parentheses may hold anything; fields are counted after it (proc(5)).
  const std::size_t after_name = stat.rfind(')');
  if (after_name != std::string::npos) {
    std::istringstream fields(stat.substr(after_name + 1));
    std::string field;
    double ticks = 0;
    double threads = 0;
    double pages = 0;
    for (int number = 3; fields >> field && number <= 24; ++number) {
      if (number == 14 || number == 15) ticks += std::stod(field);
      if (number == 20) threads = std::stod(field);
      if (number == 24) pages = std::stod(field);
    }
    text += Gauge("process_cpu_seconds_total", "Total user and system CPU time spent in seconds.",
                  "counter", ticks / static_cast<double>(sysconf(_SC_CLK_TCK)));
    text += Gauge("process_resident_memory_bytes", "Resident memory size in bytes.", "gauge",
                  pages * static_cast<double>(sysconf(_SC_PAGESIZE)));
    text += Gauge("process_threads", "Number of threads.", "gauge", threads);
  }
  std::error_code error;
  const auto files = std::filesystem::directory_iterator("/proc/self/fd", error);
  if (!error) {
    text += Gauge("process_open_fds", "Number of open file descriptors.", "gauge",
                  static_cast<double>(std::distance(begin(files), end(files))));
  }
  return text;
}

}  // namespace kube
