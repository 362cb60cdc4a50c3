// SPDX-License-Identifier: Apache-2.0
// From one document to rules.
#pragma once

#include <map>
#include <string>

#include "engine/rules/document.h"
#include "engine/rules/field_reader.h"
#include "engine/rules/model.h"

namespace engine {

// Where each rule stands, for problems that only show after merging: the rule's path ->
// its place.
struct RulePlace {
  std::string file;
  std::string path;
  int line = 0;
  int column = 0;
};
using RulePlaces = std::map<std::string, RulePlace>;  // by the rule's `path`

// Reads an AttributionRuleset object, or only its spec, into `model`: entries whose name or id is
// there already replace it. Problems are added; a rule with problems may be left half-read.
void ReadRules(const DocumentNode& document, const std::string& name, RuleModel& model,
               RulePlaces& places, ProblemList& problems);

}  // namespace engine
