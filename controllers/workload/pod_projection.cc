// SPDX-License-Identifier: Apache-2.0
#include "controllers/workload/pod_projection.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "controllers/status/field.h"
#include "controllers/workload/owner.h"
#include "controllers/workload/projection.h"

namespace controllers {
namespace {

using kube::Json;

// Of the usual ones (Initialized, Ready, ...) only what is wrong is worth its memory; others, such
// as DisruptionTarget, are there only when there is something to tell.
bool TellsOfTrouble(const Json& condition) {
  const std::string type = kube::StringAt(condition, "/type");
  const std::string status = kube::StringAt(condition, "/status");
  if (type == "PodScheduled") return status != "True";
  if (type == "Initialized" || type == "Ready" || type == "ContainersReady" ||
      type == "PodReadyToStartContainers") {
    return false;
  }
  return status == "True";
}

Json KeepStatuses(const Json& statuses) {
  Json kept = Json::array();
  for (const Json& status : statuses) {
    kept.push_back(KeepOnly(
        status, {"/name", "/restartCount", "/state", "/lastState", "/allocatedResourcesStatus"}));
  }
  return kept;
}

}  // namespace

Json ProjectPod(const Json& pod) {
  Json kept = KeepMetadata(pod);
  if (const std::string workload = kube::AnnotationOf(pod, kKueueWorkloadAnnotation);
      !workload.empty()) {
    kept["metadata"]["annotations"][kKueueWorkloadAnnotation] = workload;
  }
  const Json& spec = Field(pod, "/spec");
  if (spec.is_object()) kept["spec"] = KeepContainers(spec);
  if (const std::string node = kube::StringAt(pod, "/spec/nodeName"); !node.empty()) {
    kept["spec"]["nodeName"] = node;
  }
  Json status = KeepOnly(Field(pod, "/status"), {"/phase", "/reason", "/message", "/startTime"});
  for (const Json& condition : Field(pod, "/status/conditions")) {
    if (TellsOfTrouble(condition)) {
      status["conditions"].push_back(
          KeepOnly(condition, {"/type", "/status", "/reason", "/message", "/lastTransitionTime"}));
    }
  }
  for (const char* const list : {"containerStatuses", "initContainerStatuses"}) {
    const Json& statuses = Field(pod, (std::string("/status/") + list).c_str());
    if (!statuses.empty()) status[list] = KeepStatuses(statuses);
  }
  kept["status"] = std::move(status);
  return kept;
}

kube::Informer& PodInformer(kube::Cache& cache, const std::vector<std::string>& namespaces) {
  kube::Informer& pods = cache.InformerFor({.resource = kPods,
                                            .namespaces = namespaces,
                                            .label_selector = {},
                                            .field_selector = {},
                                            .projection = ProjectPod});
  pods.AddIndex(kPodsByController, [](const Json& pod) -> std::vector<std::string> {
    std::string uid = ControllerOf(pod).uid;
    if (uid.empty()) return {};
    return {std::move(uid)};
  });
  pods.AddIndex(kPodsByKueueWorkload, [](const Json& pod) -> std::vector<std::string> {
    const std::string workload = kube::AnnotationOf(pod, kKueueWorkloadAnnotation);
    if (workload.empty()) return {};
    return {kube::NamespaceOf(pod) + '/' + workload};
  });
  return pods;
}

}  // namespace controllers
