// SPDX-License-Identifier: Apache-2.0
#include "controllers/policy/policy_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <utility>

#include "controllers/policy/accelerators.h"
#include "controllers/policy/label_selector.h"
#include "crds/fields.h"
#include "engine/case.h"

namespace controllers {
namespace {

constexpr char kWatchLabel[] = "attribution.dev/watch";
constexpr char kQueueLabel[] = "kueue.x-k8s.io/queue-name";
constexpr char kKueueWorkload[] = "Workload";

bool Contains(const std::vector<std::string>& list, const std::string& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

bool MatchesByDefault(const PolicySubject& subject) {
  const auto watch = subject.labels.find(kWatchLabel);
  if (watch != subject.labels.end() && watch->second == "true") return true;
  if (subject.kind == kKueueWorkload || subject.labels.contains(kQueueLabel)) return true;
  return std::any_of(subject.resources.begin(), subject.resources.end(),
                     [](const std::string& resource) {
                       return resource == kResourceClaims || IsAcceleratorResource(resource);
                     });
}

struct Policy {
  AppliedPolicy applied;
  LabelSelector namespaces;
  LabelSelector objects;

  bool Matches(const PolicySubject& subject) const {
    const crds::PolicyMatch& match = applied.spec.match;
    if (!match.kinds.empty() && !Contains(match.kinds, subject.kind)) return false;
    if (!match.resources.empty() && std::none_of(match.resources.begin(), match.resources.end(),
                                                 [&](const std::string& resource) {
                                                   return Contains(subject.resources, resource);
                                                 })) {
      return false;
    }
    return namespaces.Matches(subject.namespace_labels) && objects.Matches(subject.labels);
  }
};

class Store final : public PolicyStore {
 public:
  std::optional<AppliedPolicy> PolicyFor(const PolicySubject& subject) const override {
    const std::lock_guard lock(mutex_);
    const Policy* best = nullptr;
    for (const auto& [name, policy] : policies_) {
      if (!policy.Matches(subject)) continue;
      // The map goes by name, so that the first of equal precedence stays.
      if (best == nullptr || policy.applied.spec.precedence < best->applied.spec.precedence) {
        best = &policy;
      }
    }
    if (best == nullptr && !MatchesByDefault(subject)) return std::nullopt;
    AppliedPolicy applied = best != nullptr ? best->applied : Default();
    Restrict(best != nullptr, applied.spec);
    return applied;
  }

  std::optional<AppliedPolicy> Find(const std::string& name) const override {
    const std::lock_guard lock(mutex_);
    const auto found = policies_.find(name);
    if (found == policies_.end()) return std::nullopt;
    return found->second.applied;
  }

  AppliedPolicy Default() const override { return {}; }

  void Put(const std::string& name, crds::AttributionPolicySpec spec) override {
    auto namespaces = LabelSelector::Parse(crds::ToJson(spec.match.namespace_selector), nullptr);
    auto objects = LabelSelector::Parse(crds::ToJson(spec.match.object_selector), nullptr);
    const std::lock_guard lock(mutex_);
    broken_.erase(name);
    if (!namespaces || !objects) {
      policies_.erase(name);
      return;
    }
    policies_[name] = {{name, std::move(spec)}, *std::move(namespaces), *std::move(objects)};
  }

  void PutBroken(const std::string& name,
                 const std::optional<crds::AttributionPolicySpec>& spec) override {
    Broken broken;
    if (spec) broken.precedence = spec->precedence;
    for (const std::string& pattern : spec ? spec->evidence.redact : std::vector<std::string>()) {
      if (engine::ProblemOfRedactions({pattern}).empty()) broken.redact.push_back(pattern);
    }
    const std::lock_guard lock(mutex_);
    if (!policies_.contains(name)) broken_[name] = std::move(broken);
  }

  void Remove(const std::string& name) override {
    const std::lock_guard lock(mutex_);
    policies_.erase(name);
    broken_.erase(name);
  }

 private:
  // A policy without any valid version.
  struct Broken {
    std::optional<std::int64_t> precedence;
    std::vector<std::string> redact;
  };

  // By every broken policy that would have come before the one that was chosen.
  void Restrict(bool chosen, crds::AttributionPolicySpec& spec) const {
    for (const auto& [name, broken] : broken_) {
      if (chosen && broken.precedence && *broken.precedence > spec.precedence) continue;
      spec.node_faults = "Forbidden";
      spec.evidence.redact.insert(spec.evidence.redact.end(), broken.redact.begin(),
                                  broken.redact.end());
    }
  }

  mutable std::mutex mutex_;
  std::map<std::string, Policy> policies_;
  std::map<std::string, Broken> broken_;
};

}  // namespace

std::unique_ptr<PolicyStore> NewPolicyStore() { return std::make_unique<Store>(); }

std::string ProblemOf(const crds::AttributionPolicySpec& spec) {
  std::string problem;
  if (!LabelSelector::Parse(crds::ToJson(spec.match.namespace_selector), &problem)) {
    return "spec.match.namespaceSelector." + problem;
  }
  if (!LabelSelector::Parse(crds::ToJson(spec.match.object_selector), &problem)) {
    return "spec.match.objectSelector." + problem;
  }
  const std::string redaction = engine::ProblemOfRedactions(spec.evidence.redact);
  return redaction.empty() ? std::string() : "spec.evidence.redact: " + redaction;
}

}  // namespace controllers
