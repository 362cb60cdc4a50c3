// SPDX-License-Identifier: Apache-2.0
// How right a ruleset is about labelled cases.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ruleset.h"
#include "operator/labelled_cases/labelled_case.h"

namespace app {

inline constexpr int kFolds = 4;

// The fold of a case, 0 to 3: CRC-32 of its id modulo 4. Rules are written while looking at three
// folds and measured on the fourth.
int FoldOf(std::string_view id);

// The verdict on a case in the words of the labels.
struct Answer {
  std::string domain;
  std::string symptom;             // catalog id; empty: none
  std::vector<std::string> nodes;  // culprits, sorted
  bool taint = false;
};

struct ScoredCase {
  LabelledCase label;  // without its evidence
  Answer got;
  bool domain_ok = false;   // the label's domain, or one that is acceptable as well
  bool culprit_ok = false;  // exactly the label's nodes
  // A taint that the label does not ask for, or on a node that it does not name: the worst error.
  bool false_taint = false;
  bool missed_taint = false;
  std::string decided;  // the line that decided and where it stands; empty: nothing decided
};

// Sums over cases.
struct Score {
  std::int64_t cases = 0;
  std::int64_t domain_correct = 0;
  std::int64_t culprit_correct = 0;
  std::int64_t hardware_got = 0;        // verdicts Hardware
  std::int64_t hardware_got_right = 0;  // ... that the label accepts
  std::int64_t hardware_expected = 0;   // labels Hardware
  std::int64_t hardware_found = 0;      // ... with that verdict
  std::int64_t false_taints = 0;
  std::int64_t missed_taints = 0;

  // Shares of all; 1 where there is nothing to be wrong about.
  double DomainAccuracy() const;
  double CulpritAccuracy() const;
  double HardwarePrecision() const;
  double HardwareRecall() const;
};

// Runs a case as `analyze` runs saved logs. The workload held all GPUs of its nodes: its evidence
// was brought together by a person.
ScoredCase ScoreCase(const std::shared_ptr<const engine::Ruleset>& ruleset, LabelledCase one);

Score SumOf(const std::vector<ScoredCase>& cases);

}  // namespace app
