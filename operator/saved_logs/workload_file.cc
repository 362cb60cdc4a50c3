// SPDX-License-Identifier: Apache-2.0
#include "operator/saved_logs/workload_file.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>

#include "operator/visible_text.h"

namespace app {
namespace {

using engine::Outcome;
using engine::Time;
using engine::Workload;

constexpr std::size_t kMaxBytes = 4 << 20;
constexpr std::size_t kMaxNodes = 100'000;

// A problem on the way; caught before it leaves this file.
struct Problem {
  std::string message;
};

std::string TextAt(const YAML::Node& node, const char* field) {
  const YAML::Node value = node[field];
  if (!value || value.IsNull()) return {};
  if (!value.IsScalar()) throw Problem{fmt::format("{}: expected a string", field)};
  return value.Scalar();
}

std::optional<Time> TimeAt(const YAML::Node& node, const char* field) {
  const std::string text = TextAt(node, field);
  if (text.empty()) return std::nullopt;
  const std::optional<Time> time = engine::ParseRfc3339(text);
  if (!time) {
    throw Problem{fmt::format("{}: \"{}\" is no time; write it like 2026-12-01T04:00:00Z", field,
                              VisibleText(text))};
  }
  return time;
}

Workload FromJob(const YAML::Node& job) {
  Workload workload;
  workload.kind = "Job";
  const YAML::Node metadata = job["metadata"];
  if (metadata && metadata.IsMap()) {
    workload.name = TextAt(metadata, "name");
    workload.name_space = TextAt(metadata, "namespace");
  }
  const YAML::Node status = job["status"];
  if (!status || !status.IsMap()) {
    throw Problem{"status: missing; save the Job with `kubectl get job NAME -o yaml`"};
  }
  workload.start = TimeAt(status, "startTime");
  workload.end = TimeAt(status, "completionTime");
  const YAML::Node conditions = status["conditions"];
  if (!conditions || !conditions.IsSequence()) return workload;
  for (const YAML::Node& condition : conditions) {
    if (!condition.IsMap() || TextAt(condition, "status") != "True") continue;
    const std::string type = TextAt(condition, "type");
    if (type != "Failed" && type != "Complete") continue;
    workload.outcome = type == "Failed" ? Outcome::kFailed : Outcome::kSucceeded;
    if (!workload.end) workload.end = TimeAt(condition, "lastTransitionTime");
  }
  return workload;
}

Outcome OutcomeOf(std::string status) {
  std::transform(status.begin(), status.end(), status.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (status == "failed" || status == "fail" || status == "error") return Outcome::kFailed;
  if (status == "succeeded" || status == "success" || status == "completed" ||
      status == "complete") {
    return Outcome::kSucceeded;
  }
  return Outcome::kUnknown;
}

void ReadNodes(const YAML::Node& nodes, Workload& workload) {
  if (!nodes || nodes.IsNull()) return;
  if (nodes.size() > kMaxNodes) {
    throw Problem{fmt::format("nodes: more than {} of them", kMaxNodes)};
  }
  if (nodes.IsMap()) {
    for (const auto& entry : nodes) workload.nodes.push_back(entry.first.as<std::string>());
  } else if (nodes.IsSequence()) {
    for (const YAML::Node& node : nodes) workload.nodes.push_back(node.as<std::string>());
  } else {
    throw Problem{"nodes: expected names, or a map from names to ranks"};
  }
}

Workload FromAttributor(const YAML::Node& fields) {
  Workload workload;
  workload.kind = TextAt(fields, "type");
  workload.name = TextAt(fields, "name");
  if (workload.name.empty()) workload.name = TextAt(fields, "id");
  workload.start = TimeAt(fields, "interest_start_time");
  if (!workload.start) workload.start = TimeAt(fields, "job_start_time");
  workload.end = TimeAt(fields, "interest_end_time");
  if (!workload.end) workload.end = TimeAt(fields, "job_end_time");
  workload.outcome = OutcomeOf(TextAt(fields, "status"));
  ReadNodes(fields["nodes"], workload);
  return workload;
}

Workload FromDocument(const YAML::Node& document) {
  if (!document.IsMap()) {
    throw Problem{"expected a Job, or the fields of a workload (name, job_start_time, nodes, ...)"};
  }
  const std::string kind = TextAt(document, "kind");
  if (kind == "Job") return FromJob(document);
  if (!kind.empty()) {
    throw Problem{fmt::format("kind {}: only a Job can be read", VisibleText(kind))};
  }
  const YAML::Node inner = document["workload"];
  if (inner && inner.IsMap()) return FromAttributor(inner);
  return FromAttributor(document);
}

std::optional<std::chrono::nanoseconds> ParseAgo(std::string_view text) {
  if (text.size() < 2) return std::nullopt;
  std::int64_t count = 0;
  const char* end = text.data() + text.size() - 1;
  const auto [stopped, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc() || stopped != end || count < 0 || count > 1'000'000) return std::nullopt;
  switch (text.back()) {
    case 's':
      return std::chrono::seconds(count);
    case 'm':
      return std::chrono::minutes(count);
    case 'h':
      return std::chrono::hours(count);
    case 'd':
      // A century keeps now - count within what nanoseconds can hold.
      if (count > 36'500) return std::nullopt;
      return std::chrono::hours(24 * count);
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<Workload> ParseWorkload(std::string_view text, std::string* error) {
  if (text.size() > kMaxBytes) {
    *error = "larger than 4 MiB; keep only the fields that describe the workload";
    return std::nullopt;
  }
  try {
    return FromDocument(YAML::Load(std::string(text)));
  } catch (const Problem& problem) {
    *error = problem.message;
  } catch (const YAML::Exception& problem) {
    *error = problem.mark.is_null() ? problem.msg
                                    : fmt::format("line {}, column {}: {}", problem.mark.line + 1,
                                                  problem.mark.column + 1, problem.msg);
  }
  return std::nullopt;
}

std::optional<Workload> ParseInterval(std::string_view text, Time now, std::string* error) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) {
    *error = "neither a file nor START/END";
    return std::nullopt;
  }
  Workload workload;
  const std::string_view start = text.substr(0, slash);
  const std::string_view end = text.substr(slash + 1);
  workload.start = ParseMoment(start, now);
  workload.end = ParseMoment(end, now);
  for (const auto& [part, time] :
       {std::pair(start, workload.start), std::pair(end, workload.end)}) {
    if (!part.empty() && !time) {
      *error = fmt::format("\"{}\" is neither a file nor START/END: \"{}\" is no time",
                           VisibleText(text), VisibleText(part));
      return std::nullopt;
    }
  }
  if (workload.start && workload.end && *workload.end < *workload.start) {
    *error = "the end is before the start";
    return std::nullopt;
  }
  return workload;
}

std::optional<Time> ParseMoment(std::string_view text, Time now) {
  if (const auto ago = ParseAgo(text)) return now - *ago;
  if (const auto time = engine::ParseRfc3339(text)) return time;
  std::string full(text);
  if (full.size() == 10) full += "T00:00:00";
  if (full.size() < 19) return std::nullopt;
  full[10] = 'T';
  return engine::ParseRfc3339(full + "Z");
}

}  // namespace app
