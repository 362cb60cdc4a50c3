// SPDX-License-Identifier: Apache-2.0
// Incidents with the right answer beside them, to measure rules by.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/rules/field_reader.h"
#include "engine/source.h"

namespace app {

// The answers a label may give, in the order in which tables show them.
inline const std::vector<std::string> kAnswers = {"User",
                                                  "Hardware",
                                                  "Network",
                                                  "Storage",
                                                  "Platform",
                                                  "Cancelled",
                                                  "Unknown-needs-more-evidence",
                                                  "None-job-succeeded"};

// What a careful person concludes of a case.
struct Label {
  std::string root_symptom;  // descriptive; not compared
  std::string failure_domain;
  std::vector<std::string> also_acceptable_domains;
  std::vector<std::string> culprit_nodes;  // sorted
  bool taint = false;  // whether the scheduler should stop using the node until somebody acts
};

// A log of a case. Lines without line breaks.
struct LabelledLog {
  engine::Source source = engine::Source::kAppLog;
  std::string node;  // empty: not one node's
  std::vector<std::string> lines;
};

struct LabelledCase {
  std::string file;
  std::string id;
  std::vector<std::string> nodes;  // the workload's; empty: unknown
  std::vector<LabelledLog> evidence;
  Label expected;
};

// Reads every *.yaml and *.yml below `folder` in the order of their paths, or the one file that it
// names; several cases in a file are documents of it ("---"). The fields of a case:
//   id
//   workload: {nodes: {NODE: [RANK, ...]}}     or `nodes: unknown`
//   evidence: [{source: applog, node: NODE, lines: [...]}]     node `cluster`: not one node's
//   expected: {root_symptom, failure_domain, culprit_nodes, taint, also_acceptable_domains}
// Others (source, rationale, ...) are for people. nullopt:
// problems were added that name each file and field.
std::optional<std::vector<LabelledCase>> ReadLabelledCases(
    const std::string& folder, std::vector<engine::RulesetProblem>* problems);

// The cases of one text. Problems are added to the list.
std::vector<LabelledCase> ParseLabelledCases(const std::string& file, std::string_view text,
                                             engine::ProblemList& problems);

}  // namespace app
