// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <stop_token>

namespace controllers {

// Waits; false as soon as stop is asked for.
bool Pause(const std::stop_token& stop, std::chrono::milliseconds time);

}  // namespace controllers
