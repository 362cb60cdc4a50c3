// SPDX-License-Identifier: Apache-2.0
// A node's kern.log through its kubelet's /logs/ (nodes/proxy): for clusters where the node agent
// can't be run. Any program of the node can write there, so that it supports, never establishes.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "controllers/evidence/pod_log_reader.h"
#include "kube/client.h"

namespace controllers {

struct KubeletLogFile {
  std::string text;
  std::optional<LogGap> gap;  // why there is no text
};

// The time of the file's first line that has one, in a year near `about` where it tells none.
// nullopt: none of its first lines has a time that can be told.
std::optional<engine::Time> BeginningOf(std::string_view text, engine::Time about);

// Tries again while the node is away, for timing.node_away. nullopt: asked to stop.
std::optional<KubeletLogFile> ReadKubeletLog(kube::Client& client, const std::string& node,
                                             const LogTiming& timing, const std::stop_token& stop);

}  // namespace controllers
