// SPDX-License-Identifier: Apache-2.0
#include "kube/log.h"

#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <nlohmann/json.hpp>

namespace kube {
namespace {

std::atomic<LogFormat>& Format() {
  static std::atomic<LogFormat> format{LogFormat::kText};
  return format;
}

spdlog::logger& Logger() {
  static const std::shared_ptr<spdlog::logger> logger = [] {
    auto created = std::make_shared<spdlog::logger>(
        "attribution", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    created->set_pattern("%v");
    return created;
  }();
  return *logger;
}

spdlog::level::level_enum LevelOf(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

std::string_view NameOf(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarning:
      return "warning";
    case LogLevel::kError:
      return "error";
  }
  return "info";
}

std::string Now() {
  const auto now = std::chrono::system_clock::now();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now);
  const std::time_t time = std::chrono::system_clock::to_time_t(seconds);
  std::tm utc{};
  gmtime_r(&time, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", utc.tm_year + 1900,
                     utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec,
                     std::chrono::duration_cast<std::chrono::milliseconds>(now - seconds).count());
}

// JSON's own escapes, so that a value cannot break out of its line.
std::string Quoted(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

bool IsPlain(std::string_view text) {
  if (text.empty()) return false;
  for (const char c : text) {
    if (c <= ' ' || c == '"' || c == '=' || c == '\\' || static_cast<unsigned char>(c) >= 0x7f) {
      return false;
    }
  }
  return true;
}

std::string TextLine(LogLevel level, std::string_view message,
                     std::initializer_list<std::pair<std::string_view, std::string>> fields) {
  const std::string quoted = Quoted(message);
  std::string line =
      fmt::format("{} {:<7} {}", Now(), NameOf(level), quoted.substr(1, quoted.size() - 2));
  for (const auto& [key, value] : fields) {
    line += fmt::format(" {}={}", key, IsPlain(value) ? value : Quoted(value));
  }
  return line;
}

std::string JsonLine(LogLevel level, std::string_view message,
                     std::initializer_list<std::pair<std::string_view, std::string>> fields) {
  nlohmann::ordered_json line = {{"ts", Now()}, {"level", NameOf(level)}, {"msg", message}};
  for (const auto& [key, value] : fields) line[std::string(key)] = value;
  return line.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

}  // namespace

void ConfigureLog(LogLevel level, LogFormat format) {
  Logger().set_level(LevelOf(level));
  Format() = format;
}

void Log(LogLevel level, std::string_view message,
         std::initializer_list<std::pair<std::string_view, std::string>> fields) {
  spdlog::logger& logger = Logger();
  if (!logger.should_log(LevelOf(level))) return;
  try {
    logger.log(LevelOf(level), Format() == LogFormat::kJson ? JsonLine(level, message, fields)
                                                            : TextLine(level, message, fields));
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): no memory for a log line;
    // there is nowhere left to say so.
  }
}

}  // namespace kube
