// SPDX-License-Identifier: Apache-2.0
#include "operator/node_agent/node_agent.h"

#include <chrono>

#include "operator/node_agent/flood_guard.h"

namespace app {
namespace {

constexpr std::chrono::milliseconds kWait{500};

}  // namespace

void RunNodeAgent(RecordSource& source, const std::string& mode, const std::stop_token& stop,
                  const std::function<engine::Time()>& now,
                  const std::function<void(std::string_view)>& print) {
  const auto notice = [&](std::string kind, std::uint64_t count = 0) {
    print(NoticeLine({.kind = std::move(kind),
                      .boot_id = source.boot_id(),
                      .mode = mode,
                      .count = count,
                      .time = now()}));
  };
  FloodGuard guard;
  KernelRecord record;
  bool caught_up = false;
  notice("start");
  while (!stop.stop_requested()) {
    switch (source.Next(&record, kWait)) {
      case RecordSource::Event::kRecord:
        if (guard.Admit(record.priority, now())) print(RecordLine(record));
        break;
      case RecordSource::Event::kOverrun:
        notice("overrun");
        break;
      case RecordSource::Event::kIdle:
        if (!caught_up) notice("caughtUp");
        caught_up = true;
        if (const std::uint64_t dropped = guard.TakeDropped(); dropped > 0) {
          notice("dropped", dropped);
        }
        break;
    }
  }
}

}  // namespace app
