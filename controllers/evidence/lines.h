// SPDX-License-Identifier: Apache-2.0
// States of objects as lines of evidence. Rules match these formats: they are part of the contract
// with rule authors.
//
//   PodStatus      container "NAME" terminated: reason=OOMKilled exitCode=137 signal=0 message=".."
//                  container "NAME" message: TEXT           what the container itself left, a line
//                  each container "NAME" waiting: reason=ImagePullBackOff message=".." pod
//                  phase=Failed reason=Evicted message=".." pod condition DisruptionTarget=True
//                  reason=PreemptionByScheduler message=".."
//   Event          Warning FailedMount Pod/NAME: MESSAGE
//   NodeCondition  Ready=Unknown reason=NodeStatusUnknown message=".."
//   Scheduler      Job condition FailureTarget=True reason=BackoffLimitExceeded message=".."
//                  Workload condition Evicted=True reason=Preempted message=".."
//
// Texts within quotes are as their writer left them, made one line. Arguments are the JSON of the
// API server; missing fields read as empty.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/time.h"
#include "kube/object.h"

namespace controllers {

// A state of an object as a line (lines.h), with the time at which it came to be.
struct StatusLine {
  std::string text;
  std::optional<engine::Time> time;
  // The container itself wrote it: a claim of the workload, whatever the source is called.
  bool of_workload = false;
};

// Without trailing white space; line breaks become "\n" in two characters.
std::string OneLine(std::string_view text);

// `terminated` is a container's state.terminated. The message is left out (message="") when the
// container may have written it: then MessageLines has it.
std::string ContainerTerminatedLine(const std::string& container, const kube::Json& terminated);

// Whether the message is the container's own (termination log or the end of its output) and not
// the container runtime's or the kubelet's.
bool IsMessageOfWorkload(const kube::Json& terminated);

// The message that the container left, one evidence line for each of its lines, at most 80.
std::vector<std::string> MessageLines(const std::string& container, const kube::Json& terminated);

std::string ContainerWaitingLine(const std::string& container, const kube::Json& waiting);
std::string PodPhaseLine(const kube::Json& pod);
std::string PodConditionLine(const kube::Json& condition);
// `event` is a core/v1 Event.
std::string EventLine(const kube::Json& event);
std::string NodeConditionLine(const kube::Json& condition);
// `kind` is "Job", "Workload", ...
std::string ObjectConditionLine(const std::string& kind, const kube::Json& condition);

// ObjectConditionLine of each of the object's conditions that changed no earlier than `since`
// (RFC 3339, empty: all): earlier ones tell of an earlier attempt.
std::vector<StatusLine> ObjectConditionLines(const std::string& kind, const kube::Json& object,
                                             const std::string& since);

}  // namespace controllers
