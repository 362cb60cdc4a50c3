// SPDX-License-Identifier: Apache-2.0
// What stands in front of the message: when, where, which rank.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "engine/source.h"
#include "engine/time.h"

namespace engine {

// What a time can be compared with.
enum class Clock {
  kNone,      // no time
  kAbsolute,  // UTC
  kYearless,  // syslog's "Dec  1 04:00:00" without anything that tells the year
  kBoot,      // dmesg's seconds since the node's boot
};

struct Prefix {
  Clock clock = Clock::kNone;
  Time time{};       // by that clock
  std::string node;  // the host that the line names
  std::optional<int> rank;
  std::size_t message = 0;  // where the message begins
};

// Reads what is at the front of a saved line, whatever of these it has, in this order:
//   RFC 3339 and ISO 8601 times (with or without zone, 'T' or blank, '.' or ',' before the
//   fraction, in brackets), syslog (RFC 3164, RFC 5424 priorities) with host and "kernel: " or
//   "tag[pid]: ", dmesg's "[  123.456789] ", dmesg -T's "[Tue Dec  1 04:00:00 2026] ", klog's
//   "E1201 04:00:00.1 ",
//   a launcher's "worker-3: " or "3: ",
//   "[rank3]:", "[3]:", "[default0]:", "(RayTrainWorker pid=1, ip=192.0.2.1)",
//   a container runtime's "stdout F " behind its time.
// Logs of programs keep klog-like heads ("E1201 04:00:00.1 ", in brackets or not), which are the
// program's own words; only their time is read. `about` is a time near those of the log; it gives
// years to times that have none.
Prefix ReadPrefix(std::string_view line, Source source, std::optional<Time> about);

// Cheaply refuses most lines in which ReadPrefix would find no time, and none in which it would.
bool MayHaveTime(std::string_view line, Source source);

// "host:pid:tid [dev] " as NCCL prints it: the host. Empty when the message doesn't begin so.
std::string NcclHost(std::string_view message);

}  // namespace engine
