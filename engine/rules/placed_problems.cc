// SPDX-License-Identifier: Apache-2.0
#include "engine/rules/placed_problems.h"

#include <utility>

namespace engine {

void PlacedProblems::Add(const std::string& key, const std::string& field, const std::string& rule,
                         const std::string& message) {
  if (list_.size() >= kMaxProblems) return;
  RulesetProblem problem{.path = field, .rule = rule, .message = message};
  if (const auto place = places_.find(key); place != places_.end()) {
    problem.file = place->second.file;
    problem.path = place->second.path + (field.empty() ? "" : '.' + field);
    problem.line = place->second.line;
    problem.column = place->second.column;
  }
  list_.push_back(MakeProblem(std::move(problem)));
}

}  // namespace engine
