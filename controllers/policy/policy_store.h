// SPDX-License-Identifier: Apache-2.0
// Which AttributionPolicy applies to a workload.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "crds/attribution_policy.h"
#include "kube/object.h"

namespace controllers {

// What a policy is matched against.
struct PolicySubject {
  std::string kind;  // "Job"
  std::map<std::string, std::string> namespace_labels;
  std::map<std::string, std::string> labels;  // the workload object's
  std::vector<std::string> resources;         // resources requested by its pods
};

// The policy in force for a workload; name is empty for the built-in default.
struct AppliedPolicy {
  std::string name;
  crds::AttributionPolicySpec spec;
};

// Thread-safe. Filled by the informer's handlers (FollowPolicies).
class PolicyStore {
 public:
  virtual ~PolicyStore() = default;
  // By precedence (lowest first), then name; the built-in default comes last and matches workloads
  // that request an accelerator, belong to a Kueue Workload or carry attribution.dev/watch=true.
  // nullopt: nobody asked to watch this workload.
  virtual std::optional<AppliedPolicy> PolicyFor(const PolicySubject& subject) const = 0;
  // A policy by name; nullopt when there is none that can be followed.
  virtual std::optional<AppliedPolicy> Find(const std::string& name) const = 0;
  // The built-in default, whatever it matches.
  virtual AppliedPolicy Default() const = 0;
  virtual void Put(const std::string& name, crds::AttributionPolicySpec spec) = 0;
  // A policy that cannot be followed. Its last valid version stays in force. If there is none, what
  // it meant to restrict is not known: no workload that it could have been for makes NodeFaults,
  // and its redactions, as far as they can be followed, apply to all of those. `spec` is what could
  // be read of it; nullopt: nothing.
  virtual void PutBroken(const std::string& name,
                         const std::optional<crds::AttributionPolicySpec>& spec) = 0;
  virtual void Remove(const std::string& name) = 0;
};

std::unique_ptr<PolicyStore> NewPolicyStore();

// What is wrong with a policy that its schema cannot tell: a selector, a redaction that is no RE2.
// Empty: it can be followed.
std::string ProblemOf(const crds::AttributionPolicySpec& spec);

}  // namespace controllers
