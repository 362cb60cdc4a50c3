// SPDX-License-Identifier: Apache-2.0
// One kind of workload (Job, Kueue Workload, ...): the only thing that knows its fields. The next
// kind is one more file that implements this.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "controllers/evidence/lines.h"
#include "engine/workload.h"
#include "kube/cache.h"
#include "kube/object.h"
#include "kube/resource.h"

namespace controllers {

// Why an attempt is worth an Attribution; the words of AttributionPolicy.spec.triggers.
enum class Trigger { kWorkloadFailed, kPodFailed, kEvicted };

// Where an attempt stands, read from the objects alone.
struct Attempt {
  // Opaque, the same for the same attempt whenever it is read: a Job's status.startTime, the number
  // of evictions before a Workload's admission. Empty: there is no attempt yet.
  std::string id;
  std::string start_time;          // RFC 3339; empty: not told any more
  std::string end_time;            // RFC 3339; empty while it runs
  std::optional<Trigger> trigger;  // unset: nothing has failed
  bool terminal = false;           // nothing of this attempt runs any more
  engine::Outcome outcome = engine::Outcome::kUnknown;
  bool remote = false;  // spec.managedBy: its pods are in another cluster
};

// Reads one kind. Thread-safe: all methods only read the caches that they were built over.
class WorkloadKind {
 public:
  virtual ~WorkloadKind() = default;

  virtual const kube::Resource& resource() const = 0;
  // The informer of the kind, with an index of pods wherever it needs one. Added before start.
  virtual kube::Informer& informer() = 0;

  // The top-level owner that an Attribution is made for: false when `object` belongs to a workload
  // of another watched kind (a Job under a Kueue Workload is that Workload's).
  virtual bool IsTopLevel(const kube::Json& object) const = 0;

  virtual Attempt CurrentAttempt(const kube::Json& object) const = 0;

  // All pods of the object's current attempt that the cache knows.
  virtual std::vector<kube::ObjectPtr> Pods(const kube::Json& object) const = 0;

  // The workload objects that a pod belongs to, as requests for this kind.
  virtual std::vector<kube::ObjectKey> OwnersOf(const kube::Json& pod) const = 0;

  // The object's conditions and states as evidence lines of source Scheduler.
  virtual std::vector<StatusLine> StatusLines(const kube::Json& object) const = 0;

  // The resources that its pods request, by its templates: known even when no pod is there.
  virtual std::vector<std::string> RequestedResources(const kube::Json& object) const = 0;
};

}  // namespace controllers
