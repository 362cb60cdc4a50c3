// SPDX-License-Identifier: Apache-2.0
#include "operator/labelled_cases/score.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "engine/case.h"
#include "operator/saved_logs/date_in_text.h"
#include "operator/saved_logs/log_streams.h"

namespace app {
namespace {

constexpr char kHardware[] = "Hardware";

double Share(std::int64_t part, std::int64_t all) {
  return all == 0 ? 1 : static_cast<double>(part) / static_cast<double>(all);
}

bool APersonAsked(const engine::Verdict& verdict) {
  return std::any_of(verdict.actors.begin(), verdict.actors.end(),
                     [](const engine::Actor& actor) { return actor.kind == "Person"; });
}

std::string DomainWord(const engine::Verdict& verdict) {
  switch (verdict.result) {
    case engine::Result::kCancelled:
      // The labels keep this word for what a person asked for; a preemption, a reclaimed machine
      // and a drain are the platform's there, a deadline the user's.
      if (APersonAsked(verdict)) return "Cancelled";
      if (verdict.domain != engine::Domain::kUnknown) {
        return std::string(engine::ToString(verdict.domain));
      }
      break;
    case engine::Result::kSucceeded:
      return "None-job-succeeded";
    case engine::Result::kUnknown:
      break;
    case engine::Result::kFailed:
      if (verdict.domain != engine::Domain::kUnknown) {
        return std::string(engine::ToString(verdict.domain));
      }
      break;
  }
  return "Unknown-needs-more-evidence";
}

Answer AnswerOf(const engine::Attribution& attribution) {
  Answer answer{.domain = DomainWord(attribution.verdict),
                .symptom = attribution.verdict.symptom,
                .nodes = {},
                .taint = attribution.verdict.node_fault};
  for (const engine::NodeReport& node : attribution.nodes) {
    if (node.role == engine::NodeReport::NodeRole::kCulprit) answer.nodes.push_back(node.name);
  }
  std::sort(answer.nodes.begin(), answer.nodes.end());
  return answer;
}

bool Accepts(const Label& label, const std::string& domain) {
  const auto& others = label.also_acceptable_domains;
  return label.failure_domain == domain ||
         std::find(others.begin(), others.end(), domain) != others.end();
}

engine::Attribution Attribute(const std::shared_ptr<const engine::Ruleset>& ruleset,
                              const LabelledCase& one) {
  engine::Workload workload;
  workload.name = one.id;
  workload.nodes = one.nodes;
  workload.exclusive_nodes = one.nodes;
  for (const LabelledLog& log : one.evidence) {
    for (const std::string& line : log.lines) {
      if (const auto date = LatestDateIn(line); date && workload.about.value_or(*date) <= *date) {
        workload.about = date;
      }
    }
  }
  engine::Case evidence(ruleset, std::move(workload));
  std::vector<std::unique_ptr<LogStreams>> logs;
  for (std::size_t i = 0; i < one.evidence.size(); ++i) {
    const LabelledLog& log = one.evidence[i];
    // Padded, so that their order is that of the file.
    engine::Stream stream{.id = fmt::format("evidence[{:03}]", i),
                          .source = log.source,
                          .node = log.node,
                          .object = fmt::format("evidence[{}]", i),
                          .first_failed = log.source == engine::Source::kAppLog};
    logs.push_back(std::make_unique<LogStreams>(evidence, stream));
    for (const std::string& line : log.lines) {
      logs.back()->Write(line);
      logs.back()->Write("\n");
    }
    logs.back()->Finish(engine::Coverage::kComplete);
  }
  engine::Attribution attribution = evidence.Attribute();
  for (const auto& log : logs) log->TellLinesOfTheLog(attribution);
  return attribution;
}

}  // namespace

int FoldOf(std::string_view id) {
  const auto* const bytes = reinterpret_cast<const Bytef*>(id.data());
  return static_cast<int>(crc32(0, bytes, static_cast<uInt>(id.size())) % kFolds);
}

double Score::DomainAccuracy() const { return Share(domain_correct, cases); }
double Score::CulpritAccuracy() const { return Share(culprit_correct, cases); }
double Score::HardwarePrecision() const { return Share(hardware_got_right, hardware_got); }
double Score::HardwareRecall() const { return Share(hardware_found, hardware_expected); }

ScoredCase ScoreCase(const std::shared_ptr<const engine::Ruleset>& ruleset, LabelledCase one) {
  const engine::Attribution attribution = Attribute(ruleset, one);
  ScoredCase scored;
  scored.got = AnswerOf(attribution);
  one.evidence.clear();
  scored.label = std::move(one);
  const Label& expected = scored.label.expected;
  scored.domain_ok = Accepts(expected, scored.got.domain);
  scored.culprit_ok = scored.got.nodes == expected.culprit_nodes;
  const std::string& tainted = attribution.verdict.culprit.node;
  scored.false_taint =
      scored.got.taint &&
      (!expected.taint || std::find(expected.culprit_nodes.begin(), expected.culprit_nodes.end(),
                                    tainted) == expected.culprit_nodes.end());
  scored.missed_taint = expected.taint && !scored.got.taint;
  if (attribution.root) {
    const engine::RootLine& root = *attribution.root;
    scored.decided = fmt::format("{} line {} ({}, rule {}): {}", root.object, root.line_number,
                                 engine::ToString(root.source), root.rule, root.line);
  }
  return scored;
}

Score SumOf(const std::vector<ScoredCase>& cases) {
  Score sum;
  for (const ScoredCase& one : cases) {
    const Label& expected = one.label.expected;
    const bool got_hardware = one.got.domain == kHardware;
    ++sum.cases;
    sum.domain_correct += one.domain_ok ? 1 : 0;
    sum.culprit_correct += one.culprit_ok ? 1 : 0;
    sum.hardware_got += got_hardware ? 1 : 0;
    sum.hardware_got_right += got_hardware && one.domain_ok ? 1 : 0;
    sum.hardware_expected += expected.failure_domain == kHardware ? 1 : 0;
    sum.hardware_found += got_hardware && expected.failure_domain == kHardware ? 1 : 0;
    sum.false_taints += one.false_taint ? 1 : 0;
    sum.missed_taints += one.missed_taint ? 1 : 0;
  }
  return sum;
}

}  // namespace app
