// SPDX-License-Identifier: Apache-2.0
#include "operator/saved_logs/kernel_tag.h"

#include <re2/re2.h>

#include <string>

namespace app {
namespace {

// What a syslog daemon or journalctl writes in front of the tag: priority, time, host.
constexpr char kSyslogFront[] =
    R"((?:<\d{1,3}>(?:1 )?)?)"
    R"((?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)?|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)"
    R"((?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?|\[ *\d+\.\d+\]) [\w.:-]+ )";

const RE2& SyslogLine() {
  static const RE2 line(std::string("^") + kSyslogFront +
                        R"([\w./@-]+(?:\[\d+\])?(?:: | - | \d+ [\w-]+ ))");
  return line;
}

const RE2& KernelLine() {
  static const RE2 line(std::string("^(?:") + kSyslogFront + R"(kernel(?:: | - - - |\[\d*\]: )|)" +
                        R"((?:<\d{1,3}>)?\[ *\+?\d+\.\d{6}\](?:\[ *[TC]\d+\])? |)" +
                        R"(\[[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}\] |)" +
                        R"(kern +:\w+ *: |[\w.:-]+: kern: +\w+: |)" +
                        R"(\d+,\d+,\d+,[-c+][^;]{0,64};))");
  return line;
}

const RE2& HeadlessLine() {
  static const RE2 line(
      R"(^(?:NVRM: |nvidia-nvswitch\d+: |mce: |EDAC MC\d+: |watchdog: BUG: |nvme nvme\d+: |)"
      R"(Kernel panic - not syncing: |EXT4-fs \(|XFS \(|pcieport [\da-f:.]+: AER: |INFO: task ))");
  return line;
}

re2::StringPiece Front(std::string_view line) {
  line = line.substr(0, kKernelTagBytes);
  return {line.data(), line.size()};
}

}  // namespace

bool CarriesKernelTag(std::string_view line) {
  return RE2::PartialMatch(Front(line), KernelLine());
}

bool IsHeadlessKernelLine(std::string_view line) {
  return RE2::PartialMatch(Front(line), HeadlessLine());
}

engine::Source SourceByContent(std::string_view head) {
  std::size_t lines = 0;
  std::size_t kernel = 0;
  std::size_t syslog = 0;
  while (!head.empty() && lines < 1000) {
    const std::size_t end = head.find('\n');
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(end == std::string_view::npos ? head.size() : end + 1);
    // Indented lines continue a record.
    if (line.empty() || line[0] == ' ' || line[0] == '\t') continue;
    ++lines;
    if (CarriesKernelTag(line)) {
      ++kernel;
    } else if (RE2::PartialMatch(Front(line), SyslogLine())) {
      ++syslog;
    }
  }
  if (kernel * 2 > lines) return engine::Source::kKernel;
  if ((kernel + syslog) * 2 > lines) return engine::Source::kSyslog;
  return engine::Source::kAppLog;
}

}  // namespace app
