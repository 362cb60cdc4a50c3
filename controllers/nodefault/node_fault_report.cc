// SPDX-License-Identifier: Apache-2.0
#include "controllers/nodefault/node_fault_report.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "controllers/ruleset/digest.h"
#include "controllers/status/conditions.h"
#include "controllers/status/field.h"
#include "controllers/status/resources.h"

namespace controllers {
namespace {

using kube::Json;

constexpr std::size_t kMaxAttributions = 16;
constexpr std::size_t kMaxName = 253;
constexpr std::size_t kHashDigits = 10;
constexpr int kConflictRetries = 5;

Json DeviceOf(const FaultReport& report) {
  Json device = {{"type", report.device_type}};
  if (!report.gpu_uuid.empty()) device["uuid"] = report.gpu_uuid;
  if (!report.pci_address.empty()) device["pciAddress"] = report.pci_address;
  return device;
}

Json NewFault(const FaultReport& report) {
  return {{"apiVersion", kNodeFaults.ApiVersion()},
          {"kind", kNodeFaults.kind},
          {"metadata", {{"name", NodeFaultName(report)}}},
          {"spec",
           {{"nodeName", report.node}, {"symptom", report.symptom}, {"device", DeviceOf(report)}}}};
}

engine::Time TimeAt(const Json& object, const char* key, engine::Time otherwise) {
  return engine::ParseRfc3339(kube::StringAt(object, std::string("/") + key)).value_or(otherwise);
}

// Whether an object of the report's name is about what it reports. Anybody with the right to make
// NodeFaults may have made it. A GPU's address may have changed, or not have been known.
bool IsAboutTheSame(const Json& fault, const FaultReport& report) {
  const std::string uuid = kube::StringAt(fault, "/spec/device/uuid");
  return kube::StringAt(fault, "/spec/nodeName") == report.node &&
         kube::StringAt(fault, "/spec/symptom") == report.symptom && uuid == report.gpu_uuid &&
         (!uuid.empty() || kube::StringAt(fault, "/spec/device/pciAddress") == report.pci_address);
}

}  // namespace

std::string NodeFaultName(const FaultReport& report) {
  const std::string& device = report.gpu_uuid.empty() ? report.pci_address : report.gpu_uuid;
  const std::string hash = Sha256Hex(report.symptom + '\n' + device).substr(0, kHashDigits);
  std::string node = report.node.substr(0, kMaxName - kHashDigits - 1);
  while (!node.empty() && (node.back() == '.' || node.back() == '-')) node.pop_back();
  return node + '-' + hash;
}

Json StatusAfter(const Json& fault, const FaultReport& report,
                 const std::function<std::string(const std::string&)>& tenant_of) {
  const auto found = fault.find("status");
  const Json before = found != fault.end() && found->is_object() ? *found : Json::object();
  Json attributions = before.value("attributions", Json::array());
  for (const Json& entry : attributions) {
    if (kube::StringAt(entry, "/uid") == report.uid) return nullptr;
  }
  attributions.push_back(
      {{"namespace", report.name_space}, {"name", report.name}, {"uid", report.uid}});
  if (attributions.size() > kMaxAttributions) attributions.erase(0);
  std::set<std::string> tenants;
  for (const Json& entry : attributions) {
    tenants.insert(tenant_of(kube::StringAt(entry, "/namespace")));
  }
  const bool newest = TimeAt(before, "lastTime", report.time) <= report.time;
  Json status = {
      {"count", IntegerField(before, "/count", 0) + 1},
      {"tenants",
       std::max(IntegerField(before, "/tenants", 0), static_cast<std::int64_t>(tenants.size()))},
      {"firstTime", FormatSeconds(std::min(TimeAt(before, "firstTime", report.time), report.time))},
      {"lastTime", FormatSeconds(std::max(TimeAt(before, "lastTime", report.time), report.time))},
      {"attributions", std::move(attributions)}};
  // Level and boot belong to the newest record: an action rests on that one alone.
  if (newest) {
    status["evidenceLevel"] = engine::ToString(report.level);
    status["bootID"] = report.boot_id.empty() ? Json() : Json(report.boot_id);
  }
  return status;
}

std::string ReportNodeFault(kube::Client& client, const FaultReport& report,
                            const std::function<std::string(const std::string&)>& tenant_of) {
  const std::string name = NodeFaultName(report);
  const kube::ObjectKey key{{}, name};
  for (int attempt = 0;; ++attempt) {
    try {
      Json fault;
      try {
        fault = client.Get(kNodeFaults, key);
      } catch (const kube::ApiError& error) {
        if (!error.IsNotFound()) throw;
        fault = client.Create(kNodeFaults, NewFault(report));
      }
      if (!IsAboutTheSame(fault, report)) return {};
      Json status = StatusAfter(fault, report, tenant_of);
      if (!status.is_null()) {
        client.Patch(
            kNodeFaults, key,
            {{"metadata", {{"resourceVersion", kube::ResourceVersionOf(fault)}}},
             {"status", std::move(status)}},
            {.type = kube::PatchType::kMerge, .subresource = "status", .field_manager = {}});
      }
      return name;
    } catch (const kube::ApiError& error) {
      // Somebody else wrote in between: read again, a few times.
      const bool raced = error.IsConflict() || error.IsAlreadyExists() || error.IsNotFound();
      if (!raced || attempt == kConflictRetries) throw;
    }
  }
}

}  // namespace controllers
