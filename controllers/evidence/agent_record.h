// SPDX-License-Identifier: Apache-2.0
// What a node agent prints, read back. The format is the agent's: one JSON object a line,
//   {"v":1,"bootID":"..","seq":7,"time":"..","priority":3,"facility":0,"transport":"kernel",
//    "message":".."}
// and notices with a "kind": start, caughtUp, overrun, dropped.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/time.h"

namespace controllers {

struct AgentLine {
  enum class Kind { kRecord, kStart, kCaughtUp, kOverrun, kDropped, kOther };
  Kind kind = Kind::kOther;
  std::string boot_id;
  std::uint64_t seq = 0;
  std::optional<engine::Time> time;  // of an overrun: older records may be missing
  int facility = -1;
  std::string transport;  // "kernel" (the journal's word), "kmsg"
  std::string message;
  std::uint64_t count = 0;  // dropped records
};

// nullopt: not a line of a version that is known here.
std::optional<AgentLine> ParseAgentLine(std::string_view line);

// Whether the kernel itself wrote the record: facility 0, which user space can't write to
// /dev/kmsg; or by the journal's trusted field, where the journal tells no facility.
bool IsKernels(const AgentLine& record);

}  // namespace controllers
