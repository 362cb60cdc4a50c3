// SPDX-License-Identifier: Apache-2.0
// Why rules take a line or not: for those who write rules.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/ruleset.h"
#include "engine/source.h"
#include "engine/time.h"

namespace engine {

// What a rule makes of a line.
struct RuleOnLine {
  std::string rule;     // an extractor's name
  std::string path;     // "10-cuda: spec.extractors[3]"
  std::string symptom;  // that it finds; of a table: what the code stands for, empty if nothing
  bool matches = false;
  std::string why_not;                          // a sentence; empty if it matches
  std::map<std::string, std::string> captures;  // named groups, if its pattern matches
};

// Texts of the line in here are visible text: no control characters, valid UTF-8.
struct LineExplanation {
  std::string taken_off;  // what stands in front of the message: times, host, rank
  std::string message;    // what patterns see
  std::optional<Time> time;
  std::string node;  // that the line names
  std::optional<int> rank;
  // Those that match, then those that nearly do: the pattern of which matches but something else is
  // against it, or that hold some of the line's fixed text; the nearest first.
  std::vector<RuleOnLine> rules;
};

// `lines` is not empty: the first is explained, the others follow it, for records. Deterministic.
LineExplanation ExplainLine(const std::shared_ptr<const Ruleset>& ruleset, Source source,
                            const std::vector<std::string>& lines);

}  // namespace engine
