// SPDX-License-Identifier: Apache-2.0
#include "controllers/evidence/agent_record.h"

#include <nlohmann/json.hpp>

#include "controllers/status/field.h"

namespace controllers {
namespace {

using kube::Json;

AgentLine::Kind KindOf(const std::string& name) {
  if (name == "start") return AgentLine::Kind::kStart;
  if (name == "caughtUp") return AgentLine::Kind::kCaughtUp;
  if (name == "overrun") return AgentLine::Kind::kOverrun;
  if (name == "dropped") return AgentLine::Kind::kDropped;
  return AgentLine::Kind::kOther;
}

}  // namespace

std::optional<AgentLine> ParseAgentLine(std::string_view text) {
  const Json object = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object() || IntegerField(object, "/v", 0) != 1) return std::nullopt;
  AgentLine line;
  line.boot_id = kube::StringAt(object, "/bootID");
  line.time = engine::ParseRfc3339(kube::StringAt(object, "/time"));
  if (object.contains("kind")) {
    line.kind = KindOf(kube::StringAt(object, "/kind"));
    line.count = static_cast<std::uint64_t>(IntegerField(object, "/count", 0));
    return line;
  }
  const Json& seq = Field(object, "/seq");
  if (!seq.is_number_unsigned() || !Field(object, "/message").is_string()) return std::nullopt;
  line.kind = AgentLine::Kind::kRecord;
  line.seq = seq.get<std::uint64_t>();
  line.facility = static_cast<int>(IntegerField(object, "/facility", -1));
  line.transport = kube::StringAt(object, "/transport");
  line.message = kube::StringAt(object, "/message");
  return line;
}

bool IsKernels(const AgentLine& record) {
  if (record.transport == "kmsg") return record.facility == 0;
  return record.transport == "kernel" && (record.facility == 0 || record.facility == -1);
}

}  // namespace controllers
