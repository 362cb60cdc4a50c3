// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

namespace crds {

// metav1.LabelSelector. Empty matches everything.
struct LabelSelectorRequirement {
  std::string key;
  std::string op;  // In | NotIn | Exists | DoesNotExist
  std::vector<std::string> values;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("key", self.key);
    visit("operator", self.op);
    visit("values", self.values);
  }
};

struct LabelSelector {
  std::map<std::string, std::string> match_labels;
  std::vector<LabelSelectorRequirement> match_expressions;

  template <typename Self, typename Visit>
  static void VisitFields(Self& self, Visit&& visit) {
    visit("matchLabels", self.match_labels);
    visit("matchExpressions", self.match_expressions);
  }
};

}  // namespace crds
