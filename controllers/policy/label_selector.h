// SPDX-License-Identifier: Apache-2.0
// Label selectors (metav1.LabelSelector), evaluated here against labels, and written as the query
// text that the API server takes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kube/object.h"

namespace controllers {

// A parsed selector. A plain value; a default one matches everything.
class LabelSelector {
 public:
  // Reads {matchLabels, matchExpressions}; null or {} matches everything. nullopt: `problem` says
  // where in the selector and why ("matchExpressions[0].operator: ...").
  static std::optional<LabelSelector> Parse(const kube::Json& selector, std::string* problem);

  bool Matches(const std::map<std::string, std::string>& labels) const;

  // For ListOptions::label_selector.
  std::string ToQuery() const;

 private:
  enum class Operator { kIn, kNotIn, kExists, kDoesNotExist };
  struct Requirement {
    std::string key;
    Operator op = Operator::kExists;
    std::vector<std::string> values;
  };
  std::vector<Requirement> requirements_;  // all must hold
};

}  // namespace controllers
