// SPDX-License-Identifier: Apache-2.0
// What a score must reach for a change of rules to be accepted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/rules/field_reader.h"
#include "operator/labelled_cases/score.h"

namespace app {

// Shares are from 0 to 1; a score may be better.
struct Thresholds {
  double domain_accuracy = 0;
  double culprit_accuracy = 0;
  double hardware_precision = 0;
  double hardware_recall = 0;
  std::int64_t false_taints = 0;  // at most
};

// A YAML map with any of domainAccuracy, culpritAccuracy, hardwarePrecision, hardwareRecall and
// falseTaints; what is left out is 0. nullopt: problems were added to the list.
std::optional<Thresholds> ParseThresholds(const std::string& file, std::string_view text,
                                          engine::ProblemList& problems);

// What of it the score does not reach, a sentence each; empty: all is reached.
std::vector<std::string> Missed(const Thresholds& thresholds, const Score& score);

}  // namespace app
