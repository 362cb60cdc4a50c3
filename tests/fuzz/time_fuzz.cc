// SPDX-License-Identifier: Apache-2.0
// Times and what else stands in front of a message.
#include <cstdlib>

#include "engine/extract/prefix.h"
#include "engine/time.h"
#include "tests/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line = fuzz::Text(data, size);
  for (std::size_t i = 0; i < engine::kSourceCount; ++i) {
    const auto source = static_cast<engine::Source>(i);
    for (const auto& about :
         {std::optional<engine::Time>(), engine::ParseRfc3339("2026-12-31T23:59:59Z"),
          std::optional(engine::Time::min()), std::optional(engine::Time::max())}) {
      const engine::Prefix prefix = engine::ReadPrefix(line, source, about);
      if (prefix.message > line.size()) std::abort();
      if (prefix.clock != engine::Clock::kNone && !engine::MayHaveTime(line, source)) std::abort();
    }
  }
  engine::NcclHost(line);
  // A time that was read is written so that it is read as the same.
  if (const auto time = engine::ParseRfc3339(line)) {
    if (engine::ParseRfc3339(engine::FormatTime(*time)) != time) std::abort();
  }
  return 0;
}
