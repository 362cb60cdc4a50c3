// SPDX-License-Identifier: Apache-2.0
#include "engine/rules/read_catalog.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

namespace engine {
namespace {

const std::vector<std::string> kDomains = {"Unknown", "User",    "Hardware",
                                           "Network", "Storage", "Platform"};
const std::vector<std::string> kRoles = {"Root", "Ambiguous", "Cascade", "Teardown", "Benign"};
const std::vector<std::string> kScopes = {"Workload", "Process", "GPU", "Node", "Fabric"};

template <typename Enum>
Enum Named(const std::string& name, std::initializer_list<Enum> all) {
  for (const Enum value : all) {
    if (ToString(value) == name) return value;
  }
  return *all.begin();
}

// The resource's: ^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$. Ids become parts of object names.
bool IsId(const std::string& id) {
  const auto is_alphanumeric = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  };
  return is_alphanumeric(id.front()) && is_alphanumeric(id.back()) &&
         std::all_of(id.begin(), id.end(),
                     [&](char c) { return is_alphanumeric(c) || c == '-' || c == '.'; });
}

bool WorkloadCannotWriteAny(const std::vector<Source>& sources) {
  return std::any_of(sources.begin(), sources.end(),
                     [](Source source) { return DefaultTrust(source) != Trust::kWorkload; });
}

}  // namespace

CatalogEntry ReadCatalogEntry(FieldReader& reader) {
  CatalogEntry entry;
  entry.id = reader.RequiredString("id");
  reader.SetRule(entry.id);
  if (!entry.id.empty() && !IsId(entry.id)) {
    reader.Problem("id",
                   "may hold lower-case letters, digits, '-' and '.' only, and begins and ends "
                   "with a letter or digit");
  }
  entry.title = reader.RequiredString("title", 256);
  entry.domain = Named(reader.Choice("domain", kDomains, /*required=*/true),
                       {Domain::kUnknown, Domain::kUser, Domain::kHardware, Domain::kNetwork,
                        Domain::kStorage, Domain::kPlatform});
  entry.role =
      Named(reader.Choice("role", kRoles, /*required=*/true),
            {Role::kRoot, Role::kAmbiguous, Role::kCascade, Role::kTeardown, Role::kBenign});
  entry.scope = reader.Choice("scope", kScopes, /*required=*/true);
  entry.established_by = reader.Sources("establishedBy");
  entry.workload_inducible =
      reader.Choice("workloadInducible", {"Unknown", "Yes", "No"}, /*required=*/false);
  if (entry.workload_inducible.empty()) entry.workload_inducible = "Unknown";
  entry.taint = reader.Choice("taint", {"No", "Yes"}, /*required=*/false) == "Yes";
  entry.result =
      Named(reader.Choice("result", {"Failed", "Cancelled", "Succeeded"}, /*required=*/false),
            {Result::kFailed, Result::kCancelled, Result::kSucceeded});
  if (entry.result == Result::kSucceeded && entry.role != Role::kBenign) {
    reader.Problem("role", "is Benign for a word of success (result: Succeeded)");
  }
  entry.actor = reader.OptionalString("actor", 64);
  entry.message = reader.OptionalString("message", 1024);
  entry.actions = reader.Strings("actions", 8, 64);
  entry.references = reader.Strings("references", 8, 512);
  if (entry.taint && !WorkloadCannotWriteAny(entry.established_by)) {
    reader.Problem("taint",
                   "\"Yes\" needs a source in establishedBy that the workload cannot write "
                   "(Kernel, Kubelet, NodeCondition, NodeMetric, PodStatus, Scheduler)");
  }
  return entry;
}

}  // namespace engine
