// SPDX-License-Identifier: Apache-2.0
// What the node agent prints: one JSON object a line, read by the operator as an ordinary pod log.
//
//   {"v":1,"bootID":"..","seq":7,"time":"2026-12-01T04:00:00.000001Z","priority":3,"facility":0,
//    "transport":"kernel","message":"NVRM: Xid (PCI:0000:3b:00): 79, ..."}
//   {"v":1,"bootID":"..","kind":"start","mode":"journal","time":".."}
//   {"v":1,"bootID":"..","kind":"caughtUp","time":".."}     what was there at the start is printed
//   {"v":1,"bootID":"..","kind":"overrun","time":".."}      unread records older than `time` are
//   gone
//   {"v":1,"bootID":"..","kind":"dropped","count":12,"time":".."}   a flood was cut
//
// (bootID, seq) names a record for good, so that printing it again after a restart doubles nothing.
#pragma once

#include <cstdint>
#include <string>

#include "engine/time.h"

namespace app {

// A record of the kernel's log. A plain value.
struct KernelRecord {
  std::string boot_id;  // as in node.status.nodeInfo.bootID: 8-4-4-4-12 hex digits
  std::uint64_t seq = 0;
  engine::Time time;
  int priority = 6;       // syslog's: 0 emergency to 7 debug
  int facility = -1;      // 0: the kernel itself, which user space cannot claim; -1: not said
  std::string transport;  // "kernel" (journal's _TRANSPORT) or "kmsg"
  std::string message;    // as it was written; may hold any bytes
};

// One line, with its line break. Bytes that are no UTF-8 come out as U+FFFD.
std::string RecordLine(const KernelRecord& record);

// A notice of the agent itself; `mode` and `count` only where they are set.
struct AgentNotice {
  std::string kind;
  std::string boot_id;
  std::string mode;
  std::uint64_t count = 0;
  engine::Time time;
};
std::string NoticeLine(const AgentNotice& notice);

// "0123456789abcdef0123456789abcdef" with dashes put in; anything else as it is.
std::string DashedBootId(const std::string& hex);

}  // namespace app
