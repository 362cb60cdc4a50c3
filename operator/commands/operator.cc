// SPDX-License-Identifier: Apache-2.0
// `attribution operator`: the controllers, wired together.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>

#include "controllers/attribution/attribution_controller.h"
#include "controllers/attribution/attribution_informer.h"
#include "controllers/evidence/session.h"
#include "controllers/nodefault/node_action_policy_controller.h"
#include "controllers/nodefault/node_fault_controller.h"
#include "controllers/policy/policy_controller.h"
#include "controllers/ruleset/ruleset_controller.h"
#include "controllers/status/resources.h"
#include "controllers/workload/job_kind.h"
#include "controllers/workload/kueue_workload_kind.h"
#include "controllers/workload/pod_projection.h"
#include "controllers/workload/workload_controller.h"
#include "controllers/workload/workload_policy.h"
#include "kube/config.h"
#include "kube/log.h"
#include "kube/manager.h"
#include "operator/commands/command.h"
#include "operator/version.h"

namespace app {
namespace {

struct Arguments {
  bool leader_elect = false;
  std::string metrics_address;
  bool metrics_secure = true;
  std::string metrics_certificate;
  std::string metrics_key;
  std::string probe_address = ":8081";
  std::vector<std::string> namespaces;
  std::string agent_namespace = "attribution-agent";
  bool node_actions = false;
  bool kubelet_logs = false;
  std::string kubeconfig;
  std::string log_level = "info";
  std::string log_format = "json";
};

constexpr char kLease[] = "attribution-operator";

engine::Time Now() {
  return std::chrono::time_point_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now());
}

std::string EnvironmentOr(const char* name, const std::string& otherwise) {
  const char* const value = std::getenv(name);
  return value == nullptr || *value == '\0' ? otherwise : std::string(value);
}

std::string HostName() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

kube::LogLevel LevelOf(const std::string& name) {
  if (name == "debug") return kube::LogLevel::kDebug;
  if (name == "warning") return kube::LogLevel::kWarning;
  if (name == "error") return kube::LogLevel::kError;
  return kube::LogLevel::kInfo;
}

kube::ManagerOptions ManagerOptionsOf(const Arguments& arguments, const std::string& name_space) {
  kube::ManagerOptions options;
  options.name = controllers::kOperatorName;
  options.instance = EnvironmentOr("POD_NAME", HostName());
  options.health_probe_address = arguments.probe_address;
  options.metrics_address = arguments.metrics_address;
  options.metrics_secure = arguments.metrics_secure;
  options.metrics_certificate_file = arguments.metrics_certificate;
  options.metrics_key_file = arguments.metrics_key;
  if (arguments.leader_elect) {
    options.leader_election = kube::LeaderElectionOptions{
        .name_space = name_space, .name = kLease, .identity = options.instance};
  }
  return options;
}

// What is shared by the controllers; in the order in which it is destroyed, last first.
struct Parts {
  std::unique_ptr<controllers::RulesetStore> rulesets = controllers::NewRulesetStore();
  std::unique_ptr<controllers::PolicyStore> policies = controllers::NewPolicyStore();
  std::vector<std::unique_ptr<controllers::WorkloadKind>> kinds;
  std::unique_ptr<controllers::Collector> collector;
  std::vector<std::unique_ptr<kube::Reconciler>> reconcilers;
};

// Before the manager runs.
void AddControllers(kube::Manager& manager, const Arguments& arguments,
                    const std::string& name_space, Parts& parts) {
  using namespace controllers;  // NOLINT(google-build-using-namespace): everything below is of it
  kube::Cache& cache = manager.cache();
  kube::Informer& pods = PodInformer(cache, arguments.namespaces);
  kube::Informer& nodes = NodeInformer(cache);
  kube::Informer& attributions = AttributionInformer(cache, arguments.namespaces);
  kube::Informer& faults = NodeFaultInformer(cache);
  // Installed for a list of namespaces it may not list all of them.
  kube::Informer* const namespaces =
      arguments.namespaces.empty() ? &cache.InformerFor({.resource = kNamespaces}) : nullptr;
  parts.kinds.push_back(NewKueueWorkloadKind(cache, arguments.namespaces));
  parts.kinds.push_back(NewJobKind(cache, arguments.namespaces));

  parts.reconcilers.push_back(AddRulesetController(manager, *parts.rulesets,
                                                   {.operator_namespace = name_space, .now = Now}));
  parts.reconcilers.push_back(AddPolicyController(manager, *parts.policies, Now));

  const auto policy_for = [policies = parts.policies.get(), namespaces](
                              const WorkloadKind& kind, const kube::Json& workload) {
    return PolicyOf(*policies, namespaces, kind, workload);
  };
  std::vector<WorkloadKind*> kinds;
  for (const auto& kind : parts.kinds) {
    kinds.push_back(kind.get());
    parts.reconcilers.push_back(AddWorkloadController(manager, *kind, pods,
                                                      {.client = manager.client(),
                                                       .events = manager.events(),
                                                       .metrics = manager.metrics(),
                                                       .attributions = attributions,
                                                       .policy_for = policy_for}));
  }
  parts.collector = NewCollector(
      manager.client(), cache,
      {.agent_namespace = arguments.agent_namespace, .kubelet_logs = arguments.kubelet_logs},
      manager.metrics());
  parts.reconcilers.push_back(
      AddAttributionController(manager, pods,
                               {.client = manager.client(),
                                .events = manager.events(),
                                .metrics = manager.metrics(),
                                .attributions = attributions,
                                .faults = faults,
                                .nodes = nodes,
                                .namespaces = namespaces,
                                .rulesets = *parts.rulesets,
                                .policies = *parts.policies,
                                .collector = *parts.collector},
                               {.kinds = kinds, .policy_for = policy_for, .now = Now}));
  parts.reconcilers.push_back(AddNodeActionPolicyController(
      manager, nodes,
      {.unknown_symptoms =
           [rulesets = parts.rulesets.get()](const std::vector<std::string>& symptoms) {
             const auto known = rulesets->MergeAll().ruleset;
             std::vector<std::string> unknown;
             for (const std::string& symptom : symptoms) {
               if (known->FindSymptom(symptom) == nullptr) unknown.push_back(symptom);
             }
             return unknown;
           },
       .now = Now}));
  // Without the right to patch nodes it still says, for each fault, what it would have done.
  parts.reconcilers.push_back(AddNodeFaultController(
      manager, nodes, attributions, {.now = Now, .may_act = arguments.node_actions}));
}

int RunOperator(const Arguments& arguments) {
  kube::ConfigureLog(LevelOf(arguments.log_level), arguments.log_format == "text"
                                                       ? kube::LogFormat::kText
                                                       : kube::LogFormat::kJson);
  const std::stop_token stop = kube::StopOnSignals();
  try {
    kube::Config config = kube::LoadConfig(arguments.kubeconfig);
    config.user_agent = std::string("attribution/") + kVersion;
    const std::string name_space = EnvironmentOr("POD_NAMESPACE", config.name_space);
    Parts parts;
    int status = 0;
    {
      kube::Manager manager(config, ManagerOptionsOf(arguments, name_space));
      AddControllers(manager, arguments, name_space, parts);
      kube::Log(kube::LogLevel::kInfo, "attribution operator",
                {{"version", kVersion},
                 {"namespace", name_space},
                 {"node_actions", arguments.node_actions ? "on" : "off"}});
      status = manager.Run(stop);
      // Sessions read through the manager's client: they end before it does.
      parts.reconcilers.clear();
      parts.collector.reset();
      parts.kinds.clear();
    }
    return status;
  } catch (const kube::ApiError& error) {
    kube::Log(kube::LogLevel::kError, "cannot start", {{"error", error.what()}});
    return kExitFailed;
  }
}

}  // namespace

void AddOperator(CLI::App& app, Run& run) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("operator", "The controllers (run by the Deployment)");
  command->add_flag("--leader-elect", arguments->leader_elect,
                    "Only one replica works; needs POD_NAMESPACE and POD_NAME");
  command->add_option("--metrics-bind-address", arguments->metrics_address,
                      "HOST:PORT of the metrics; none without");
  command->add_flag("--metrics-secure,!--metrics-insecure", arguments->metrics_secure,
                    "TLS, and only for whom RBAC lets get /metrics (the default)");
  command->add_option("--metrics-cert-file", arguments->metrics_certificate,
                      "PEM; without, a certificate is made at start");
  command->add_option("--metrics-key-file", arguments->metrics_key, "PEM");
  command
      ->add_option("--health-probe-bind-address", arguments->probe_address,
                   "HOST:PORT of the probes")
      ->capture_default_str();
  command->add_option("--namespace", arguments->namespaces,
                      "Watch this namespace only; may be repeated. Default: all");
  command
      ->add_option("--agent-namespace", arguments->agent_namespace,
                   "Where the node agent's DaemonSet is")
      ->capture_default_str();
  command->add_flag(
      "--node-actions", arguments->node_actions,
      "May write conditions and taints to nodes, where a NodeActionPolicy says Enforce");
  command->add_flag(
      "--kubelet-logs", arguments->kubelet_logs,
      "May read node logs through nodes/proxy, where an AttributionPolicy asks for it");
  command->add_option("--kubeconfig", arguments->kubeconfig,
                      "Default: in-cluster, then $KUBECONFIG");
  command->add_option("--log-level", arguments->log_level, "debug, info, warning or error")
      ->check(CLI::IsMember({"debug", "info", "warning", "error"}))
      ->capture_default_str();
  command->add_option("--log-format", arguments->log_format, "json or text")
      ->check(CLI::IsMember({"json", "text"}))
      ->capture_default_str();
  command->callback([arguments, &run] { run = [arguments] { return RunOperator(*arguments); }; });
}

}  // namespace app
