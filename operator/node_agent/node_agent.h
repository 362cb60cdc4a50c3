// SPDX-License-Identifier: Apache-2.0
// `attribution node-agent`: the kernel log of its node on the standard output.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "engine/time.h"
#include "operator/node_agent/record_source.h"

namespace app {

// Prints records and notices (kernel_record.h) until stop: first everything that the source has,
// then, after "caughtUp", what is added. All records are printed, not only those that today's rules
// know: rulesets change while the agent runs, and it has no right to read them. What a flood cost
// is told with the first record that is dropped, then once a second and when it is over. `print`
// takes whole lines. Throws what the source throws.
void RunNodeAgent(RecordSource& source, const std::string& mode, const std::stop_token& stop,
                  const std::function<engine::Time()>& now,
                  const std::function<void(std::string_view)>& print);

}  // namespace app
