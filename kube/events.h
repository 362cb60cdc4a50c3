// SPDX-License-Identifier: Apache-2.0
// Events for people (events.k8s.io/v1). Never blocks the caller, never fails it: events are
// best-effort by Kubernetes' own contract, and what is dropped is counted.
#pragma once

#include <memory>
#include <string>

#include "kube/client.h"

namespace kube {

enum class EventType { kNormal, kWarning };

// Thread-safe.
class EventRecorder {
 public:
  virtual ~EventRecorder() = default;
  // `regarding` is the object itself (apiVersion, kind, metadata.{name,namespace,uid}). `reason` is
  // CamelCase, `action` what was done or attempted. The note is cut at 1,024 bytes.
  // Repeats within a few minutes become a series.
  virtual void Event(const Json& regarding, EventType type, const std::string& reason,
                     const std::string& action, const std::string& note) = 0;
  // Waits until what is queued is sent, at most `timeout`.
  virtual void Flush(std::chrono::milliseconds timeout) = 0;
};

// `controller` is reportingController ("attribution.dev/operator"), `instance` the pod's name.
// Cluster-scoped objects get their events in namespace "default".
std::unique_ptr<EventRecorder> NewEventRecorder(Client& client, const std::string& controller,
                                                const std::string& instance,
                                                MetricsRegistry* metrics = nullptr);

}  // namespace kube
