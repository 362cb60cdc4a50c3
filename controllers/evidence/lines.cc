// SPDX-License-Identifier: Apache-2.0
#include "controllers/evidence/lines.h"

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>

#include "controllers/status/field.h"
#include "engine/time.h"

namespace controllers {
namespace {

using kube::Json;

// The kubelet keeps at most 80 lines of output as a message.
constexpr std::size_t kMaxMessageLines = 80;

std::string ReasonAndMessage(const Json& state) {
  return fmt::format("reason={} message=\"{}\"", OneLine(kube::StringAt(state, "/reason")),
                     OneLine(kube::StringAt(state, "/message")));
}

std::string TypeAndStatus(const Json& condition) {
  return fmt::format("{}={}", OneLine(kube::StringAt(condition, "/type")),
                     OneLine(kube::StringAt(condition, "/status")));
}

}  // namespace

std::string OneLine(std::string_view text) {
  const std::size_t end = text.find_last_not_of(" \t\r\n");
  text = text.substr(0, end == std::string_view::npos ? 0 : end + 1);
  std::string line;
  line.reserve(text.size());
  for (const char c : text) {
    if (c == '\n') {
      line += "\\n";
    } else if (c != '\r') {
      line += c;
    }
  }
  return line;
}

bool IsMessageOfWorkload(const Json& terminated) {
  // With these reasons the process ran, so what the message holds is its own; others (StartError,
  // ContainerCannotRun, ContainerStatusUnknown, ...) are told by the runtime or the kubelet.
  const std::string reason = kube::StringAt(terminated, "/reason");
  return reason == "Error" || reason == "Completed" || reason == "OOMKilled" || reason.empty();
}

std::string ContainerTerminatedLine(const std::string& container, const Json& terminated) {
  const std::string message =
      IsMessageOfWorkload(terminated) ? std::string() : kube::StringAt(terminated, "/message");
  return fmt::format("container \"{}\" terminated: reason={} exitCode={} signal={} message=\"{}\"",
                     container, OneLine(kube::StringAt(terminated, "/reason")),
                     IntegerField(terminated, "/exitCode", 0),
                     IntegerField(terminated, "/signal", 0), OneLine(message));
}

std::vector<std::string> MessageLines(const std::string& container, const Json& terminated) {
  std::vector<std::string> lines;
  if (!IsMessageOfWorkload(terminated)) return lines;
  const std::string message = kube::StringAt(terminated, "/message");
  std::string_view rest = message;
  while (!rest.empty() && lines.size() < kMaxMessageLines) {
    const std::size_t end = rest.find('\n');
    const std::string line = OneLine(rest.substr(0, end));
    if (!line.empty())
      lines.push_back(fmt::format("container \"{}\" message: {}", container, line));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return lines;
}

std::string ContainerWaitingLine(const std::string& container, const Json& waiting) {
  return fmt::format("container \"{}\" waiting: {}", container, ReasonAndMessage(waiting));
}

std::string PodPhaseLine(const Json& pod) {
  return fmt::format("pod phase={} {}", kube::StringAt(pod, "/status/phase"),
                     ReasonAndMessage(Field(pod, "/status")));
}

std::string PodConditionLine(const Json& condition) {
  return fmt::format("pod condition {} {}", TypeAndStatus(condition), ReasonAndMessage(condition));
}

std::string EventLine(const Json& event) {
  return fmt::format("{} {} {}/{}: {}", OneLine(kube::StringAt(event, "/type")),
                     OneLine(kube::StringAt(event, "/reason")),
                     OneLine(kube::StringAt(event, "/involvedObject/kind")),
                     OneLine(kube::StringAt(event, "/involvedObject/name")),
                     OneLine(kube::StringAt(event, "/message")));
}

std::string NodeConditionLine(const Json& condition) {
  return fmt::format("{} {}", TypeAndStatus(condition), ReasonAndMessage(condition));
}

std::string ObjectConditionLine(const std::string& kind, const Json& condition) {
  return fmt::format("{} condition {} {}", kind, TypeAndStatus(condition),
                     ReasonAndMessage(condition));
}

std::vector<StatusLine> ObjectConditionLines(const std::string& kind, const Json& object,
                                             const std::string& since) {
  const auto from = engine::ParseRfc3339(since);
  std::vector<StatusLine> lines;
  for (const Json& condition : Field(object, "/status/conditions")) {
    const auto changed = engine::ParseRfc3339(kube::StringAt(condition, "/lastTransitionTime"));
    if (from && changed && *changed < *from) continue;
    lines.push_back({ObjectConditionLine(kind, condition), changed, false});
  }
  return lines;
}

}  // namespace controllers
