// SPDX-License-Identifier: Apache-2.0
#include "controllers/status/conditions.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

namespace controllers {
namespace {

using kube::Json;

const Json* FindIn(const Json& conditions, std::string_view type) {
  if (!conditions.is_array()) return nullptr;
  const auto found = std::find_if(conditions.begin(), conditions.end(), [&](const Json& entry) {
    return kube::StringAt(entry, "/type") == type;
  });
  return found == conditions.end() ? nullptr : &*found;
}

}  // namespace

bool SetCondition(Json& conditions, const Condition& condition, engine::Time now) {
  if (!conditions.is_array()) conditions = Json::array();
  Json entry = {{"type", condition.type},
                {"status", condition.status},
                {"reason", condition.reason},
                {"message", CutText(condition.message, kMaxConditionMessage)},
                {"observedGeneration", condition.observed_generation},
                {"lastTransitionTime", FormatSeconds(now)}};
  const Json* const before = FindIn(conditions, condition.type);
  if (before == nullptr) {
    conditions.push_back(std::move(entry));
    return true;
  }
  const std::string transition = kube::StringAt(*before, "/lastTransitionTime");
  if (kube::StringAt(*before, "/status") == condition.status && !transition.empty()) {
    entry["lastTransitionTime"] = transition;
  }
  if (*before == entry) return false;
  conditions[static_cast<std::size_t>(before - &conditions[0])] = std::move(entry);
  return true;
}

const Json* FindCondition(const Json& object, std::string_view type) {
  static const Json::json_pointer path("/status/conditions");
  return object.contains(path) ? FindIn(object.at(path), type) : nullptr;
}

std::string ConditionStatus(const Json& object, std::string_view type) {
  const Json* const found = FindCondition(object, type);
  return found == nullptr ? std::string() : kube::StringAt(*found, "/status");
}

std::string ConditionReason(const Json& object, std::string_view type) {
  const Json* const found = FindCondition(object, type);
  return found == nullptr ? std::string() : kube::StringAt(*found, "/reason");
}

std::string FormatSeconds(engine::Time time) {
  return engine::FormatTime(std::chrono::floor<std::chrono::seconds>(time));
}

std::string CutText(std::string text, std::size_t bytes) {
  constexpr std::string_view kMark = "...";
  if (text.size() <= bytes) return text;
  std::size_t end = bytes > kMark.size() ? bytes - kMark.size() : 0;
  // Back to the start of a sequence: continuation bytes are 10xxxxxx.
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  text.resize(end);
  text += kMark;
  return text;
}

}  // namespace controllers
