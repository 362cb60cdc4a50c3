// SPDX-License-Identifier: Apache-2.0
// Structured logs to stderr: a message and key-value pairs, as text or JSON lines.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace kube {

enum class LogLevel { kDebug, kInfo, kWarning, kError };
enum class LogFormat { kText, kJson };

// Process-wide output settings, the one thing that cannot be passed in: call at the start of main.
void ConfigureLog(LogLevel level, LogFormat format);

// Thread-safe, never throws. Control characters in values are escaped.
void Log(LogLevel level, std::string_view message,
         std::initializer_list<std::pair<std::string_view, std::string>> fields = {});

}  // namespace kube
