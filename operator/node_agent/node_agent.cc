// SPDX-License-Identifier: Apache-2.0
#include "operator/node_agent/node_agent.h"

#include <chrono>
#include <optional>

#include "operator/node_agent/flood_guard.h"

namespace app {
namespace {

constexpr std::chrono::milliseconds kWait{500};
// In a kernel that never rests, a flood is told of while it lasts.
constexpr std::chrono::seconds kDroppedEvery{1};

}  // namespace

void RunNodeAgent(RecordSource& source, const std::string& mode, const std::stop_token& stop,
                  const std::function<engine::Time()>& now,
                  const std::function<void(std::string_view)>& print) {
  const auto notice = [&](std::string kind, engine::Time time, std::uint64_t count = 0) {
    print(NoticeLine({.kind = std::move(kind),
                      .boot_id = source.boot_id(),
                      .mode = mode,
                      .count = count,
                      .time = time}));
  };
  FloodGuard guard;
  KernelRecord record;
  bool caught_up = false;
  std::optional<engine::Time> told_of_drops;
  const auto tell_of_drops = [&](engine::Time time) {
    const std::uint64_t dropped = guard.TakeDropped();
    if (dropped == 0) return;
    notice("dropped", time, dropped);
    told_of_drops = time;
  };
  notice("start", now());
  while (!stop.stop_requested()) {
    const RecordSource::Event event = source.Next(&record, kWait);
    const engine::Time time = now();
    switch (event) {
      case RecordSource::Event::kRecord:
        if (guard.Admit(record.priority, time)) print(RecordLine(record));
        // A clock that was set back must not silence it.
        if (!told_of_drops || time >= *told_of_drops + kDroppedEvery || time < *told_of_drops) {
          tell_of_drops(time);
        }
        break;
      case RecordSource::Event::kOverrun:
        notice("overrun", record.time);
        break;
      case RecordSource::Event::kIdle:
        if (!caught_up) notice("caughtUp", time);
        caught_up = true;
        tell_of_drops(time);
        break;
    }
  }
  tell_of_drops(now());
}

}  // namespace app
