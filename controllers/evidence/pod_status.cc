// SPDX-License-Identifier: Apache-2.0
#include "controllers/evidence/pod_status.h"

#include <charconv>
#include <nlohmann/json.hpp>

#include "controllers/evidence/lines.h"
#include "controllers/status/field.h"

namespace controllers {
namespace {

using kube::Json;

std::optional<engine::Time> TimeAt(const Json& object, const char* pointer) {
  return engine::ParseRfc3339(kube::StringAt(object, pointer));
}

void AddTerminated(const std::string& container, const Json& terminated,
                   std::vector<StatusLine>& lines) {
  if (!terminated.is_object()) return;
  const auto time = TimeAt(terminated, "/finishedAt");
  lines.push_back({ContainerTerminatedLine(container, terminated), time, false});
  for (std::string& line : MessageLines(container, terminated)) {
    lines.push_back({std::move(line), time, true});
  }
}

}  // namespace

std::vector<StatusLine> PodStatusLines(const Json& pod) {
  std::vector<StatusLine> lines;
  const std::string phase = kube::StringAt(pod, "/status/phase");
  if (phase == "Failed" || !kube::StringAt(pod, "/status/reason").empty()) {
    lines.push_back({PodPhaseLine(pod), std::nullopt, false});
  }
  for (const Json& condition : Field(pod, "/status/conditions")) {
    lines.push_back({PodConditionLine(condition), TimeAt(condition, "/lastTransitionTime"), false});
  }
  for (const char* const list : {"/status/initContainerStatuses", "/status/containerStatuses"}) {
    for (const Json& status : Field(pod, list)) {
      const std::string name = kube::StringAt(status, "/name");
      AddTerminated(name, Field(status, "/lastState/terminated"), lines);
      AddTerminated(name, Field(status, "/state/terminated"), lines);
      const Json& waiting = Field(status, "/state/waiting");
      const std::string reason = kube::StringAt(waiting, "/reason");
      if (!reason.empty() && reason != "ContainerCreating" && reason != "PodInitializing") {
        lines.push_back({ContainerWaitingLine(name, waiting), std::nullopt, false});
      }
    }
  }
  return lines;
}

std::optional<int> RankOf(const Json& pod) {
  for (const char* const label :
       {"batch.kubernetes.io/job-completion-index", "training.kubeflow.org/replica-index"}) {
    const std::string text = kube::LabelOf(pod, label);
    int rank = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
    if (!text.empty() && error == std::errc() && rest == text.data() + text.size()) return rank;
  }
  return std::nullopt;
}

}  // namespace controllers
