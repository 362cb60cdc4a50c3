// SPDX-License-Identifier: Apache-2.0
// What the name of a saved log says about it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/source.h"

namespace app {

// The rule, on the file's name without .gz, .zst, .log, .txt, .out, .err and rotation numbers, in
// lower case and split at everything that is no letter or digit:
// - source: the last word that is one of
//     kern, kernel, dmesg, kmsg -> Kernel      syslog, messages, journal -> Syslog
//     kubelet -> Kubelet                       event, events -> Event
//     podstatus -> PodStatus                   nodecondition, nodeconditions -> NodeCondition
//     nodemetric, nodemetrics -> NodeMetric    scheduler, slurmctld, kueue -> Scheduler
//     applog -> AppLog                         (pod-status, node-metrics, ... count as one word)
// - rank: the number after the word rank: rank3, rank-3, rank_03
// - node: what stands before a dot and the source (of a node's log, or AppLog) or the rank:
//   node-a.syslog, gpu17.example.kern.log, node-a.rank3.log; and, for a node's log (all but AppLog,
//   Event, PodStatus and Scheduler), the folder that the file is in: n1/kern.log, unless that is a
//   folder like log, logs, var, tmp, output. A folder that holds such a log names the node of its
//   other files too: n1/rank3.log beside n1/kern.log.
struct LogName {
  std::optional<engine::Source> source;
  std::optional<int> rank;
  std::string node;    // as the file's own name says; empty: it doesn't
  std::string folder;  // the folder's name, where it could be a node's; empty: it couldn't
};

LogName ReadLogName(std::string_view path);

// Whether a source is the log of one node, so that its folder may be named after the node.
bool IsNodeLog(engine::Source source);

}  // namespace app
