// SPDX-License-Identifier: Apache-2.0
// A score as a person and as a program reads it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "operator/labelled_cases/score.h"

namespace app {

// The failing cases with the line that decided, then a confusion matrix, the folds and the sums.
// Everything that others wrote comes out through VisibleText. Ends with a line break.
std::string ScoreText(const std::vector<ScoredCase>& cases);

// {"cases", "domainCorrect", "domainAccuracy", "culpritCorrect", "culpritAccuracy",
//  "hardware": {"precision", "recall"}, "falseTaints", "missedTaints",
//  "folds": [the same sums with "fold"],
//  "results": [{"id", "expected": {...}, "got": {"domain", "symptom", "nodes", "taint"},
//               "domainOK", "culpritOK"}]}
nlohmann::ordered_json ScoreJson(const std::vector<ScoredCase>& cases);

}  // namespace app
