// SPDX-License-Identifier: Apache-2.0
#include "controllers/nodefault/node_action_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "controllers/nodefault/node_action.h"
#include "controllers/status/field.h"

namespace controllers {
namespace {

using kube::Json;

std::string IntOrStringAt(const Json& object, const char* pointer) {
  const Json& value = Field(object, pointer);
  if (value.is_number_integer()) return std::to_string(value.get<std::int64_t>());
  return value.is_string() ? value.get<std::string>() : std::string();
}

std::int64_t PrecedenceOf(const Json& policy) {
  return IntegerField(policy, "/spec/precedence", 1000);
}

}  // namespace

std::optional<NodeActionSettings> ParseNodeActionPolicy(const Json& policy, std::string* problem) {
  const auto fail = [&](std::string message) {
    if (problem != nullptr) *problem = std::move(message);
    return std::nullopt;
  };
  NodeActionSettings settings;
  settings.name = kube::NameOf(policy);
  settings.precedence = PrecedenceOf(policy);
  std::string selector_problem;
  auto selector = LabelSelector::Parse(Field(policy, "/spec/nodeSelector"), &selector_problem);
  if (!selector) return fail("spec.nodeSelector." + selector_problem);
  settings.node_selector = *std::move(selector);

  const std::string mode = kube::StringAt(policy, "/spec/mode");
  if (mode != "Enforce" && mode != "DryRun") {
    return fail(fmt::format("spec.mode: \"{}\" is neither DryRun nor Enforce", mode));
  }
  settings.enforce = mode == "Enforce";
  for (const Json& action : Field(policy, "/spec/actions")) {
    settings.condition = settings.condition || action == "Condition";
    settings.taint = settings.taint || action == "Taint";
  }
  if (const std::string effect = kube::StringAt(policy, "/spec/taintEffect"); !effect.empty()) {
    if (effect != "NoSchedule" && effect != "PreferNoSchedule") {
      return fail(fmt::format("spec.taintEffect: \"{}\" is not offered", effect));
    }
    settings.taint_effect = effect;
  }
  const std::string level = kube::StringAt(policy, "/spec/minEvidenceLevel");
  if (level == "Hypothesis") {
    settings.min_level = engine::EvidenceLevel::kHypothesis;
  } else if (level == "Supported") {
    settings.min_level = engine::EvidenceLevel::kSupported;
  } else if (!level.empty() && level != "Established") {
    return fail(fmt::format("spec.minEvidenceLevel: \"{}\" is no evidence level", level));
  }
  for (const Json& symptom : Field(policy, "/spec/symptoms")) {
    if (symptom.is_string()) settings.symptoms.push_back(symptom.get<std::string>());
  }
  settings.max_unavailable = IntOrStringAt(policy, "/spec/maxUnavailable");
  if (!ResolveMaxUnavailable(settings.max_unavailable, 0)) {
    return fail(fmt::format("spec.maxUnavailable: \"{}\" is neither a number nor a percentage",
                            settings.max_unavailable));
  }
  settings.max_per_hour = IntegerField(policy, "/spec/maxPerHour", 0);
  settings.action_deadline =
      std::chrono::seconds(IntegerField(policy, "/spec/actionDeadlineSeconds", 900));
  return settings;
}

NodeActionChoice ChooseNodeActionPolicy(const std::vector<kube::ObjectPtr>& policies,
                                        const Json& node) {
  std::vector<kube::ObjectPtr> ordered;
  for (const kube::ObjectPtr& policy : policies) {
    if (!kube::IsBeingDeleted(*policy)) ordered.push_back(policy);
  }
  std::sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) {
    return std::pair(PrecedenceOf(*a), kube::NameOf(*a)) <
           std::pair(PrecedenceOf(*b), kube::NameOf(*b));
  });
  const auto labels = kube::LabelsOf(node);
  for (const kube::ObjectPtr& policy : ordered) {
    std::string problem;
    auto settings = ParseNodeActionPolicy(*policy, &problem);
    if (!settings) {
      return {std::nullopt,
              fmt::format("NodeActionPolicy {} cannot be followed and may be meant for this node: "
                          "{}.",
                          kube::NameOf(*policy), problem)};
    }
    if (settings->node_selector.Matches(labels)) return {std::move(settings), {}};
  }
  return {};
}

}  // namespace controllers
