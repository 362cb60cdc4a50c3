// SPDX-License-Identifier: Apache-2.0
#include "controllers/evidence/kubelet_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "controllers/evidence/pause.h"
#include "engine/extract/prefix.h"

namespace controllers {
namespace {

constexpr std::size_t kMaxFile = 32 << 20;
// The first may be the rest of one that was cut.
constexpr int kFirstLines = 20;

}  // namespace

std::optional<engine::Time> BeginningOf(std::string_view text, engine::Time about) {
  for (int i = 0; i < kFirstLines && !text.empty(); ++i) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const engine::Prefix prefix =
        engine::ReadPrefix(text.substr(0, end), engine::Source::kSyslog, about);
    if (prefix.clock == engine::Clock::kAbsolute || prefix.clock == engine::Clock::kYearless) {
      return prefix.time;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return std::nullopt;
}

std::optional<KubeletLogFile> ReadKubeletLog(kube::Client& client, const std::string& node,
                                             const LogTiming& timing, const std::stop_token& stop) {
  const auto give_up = std::chrono::steady_clock::now() + timing.node_away;
  std::chrono::milliseconds retry = timing.first_retry;
  while (true) {
    try {
      return KubeletLogFile{client
                                .GetRaw(fmt::format("/api/v1/nodes/{}/proxy/logs/kern.log", node),
                                        kMaxFile, {.stop = stop})
                                .body,
                            {}};
    } catch (const kube::ApiError& error) {
      using kube::ErrorReason;
      if (error.IsCancelled()) return std::nullopt;
      if (error.IsForbidden()) {
        return KubeletLogFile{{}, LogGap{"Forbidden", error.what(), engine::Coverage::kForbidden}};
      }
      if (error.IsNotFound()) {
        return KubeletLogFile{
            {},
            LogGap{
                "NoKernelLogFile",
                fmt::format("Node {} has no /var/log/kern.log; its kernel log is in the journal. "
                            "Use the node agent.",
                            node),
                engine::Coverage::kMissing}};
      }
      const bool away =
          error.reason == ErrorReason::kUnavailable || error.reason == ErrorReason::kTimeout ||
          error.reason == ErrorReason::kTooManyRequests || error.reason == ErrorReason::kInternal;
      if (!away || std::chrono::steady_clock::now() >= give_up) {
        return KubeletLogFile{
            {}, LogGap{"KubeletLogUnavailable", error.what(), engine::Coverage::kMissing}};
      }
    }
    if (!Pause(stop, retry)) return std::nullopt;
    retry = std::min(2 * retry, timing.last_retry);
  }
}

}  // namespace controllers
