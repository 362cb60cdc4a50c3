// SPDX-License-Identifier: Apache-2.0
// From one document to rules, merged into those of the documents before it.
#pragma once

#include <map>
#include <string>

#include "engine/rules/document.h"
#include "engine/rules/field_reader.h"
#include "engine/rules/model.h"

namespace engine {

// Where an entry stands, for problems that only show after merging.
struct RulePlace {
  std::string file;
  std::string path;
  int line = 0;
  int column = 0;
};
// By PlaceKey() for the catalog and tables, else by the rule's `path`.
using RulePlaces = std::map<std::string, RulePlace>;

// What an entry of `list` ("catalog", "tables") that has no path of its own is found by.
std::string PlaceKey(const std::string& list, const std::string& name);

// Reads an AttributionRuleset object, or only its spec, into `model`: entries whose name or id is
// there already replace it. `name` is the text's, `number` counts the documents in it from 0.
// Problems are added; a rule with problems may be left half-read.
void ReadRules(const DocumentNode& document, const std::string& name, std::size_t number,
               RuleModel& model, RulePlaces& places, ProblemList& problems);

}  // namespace engine
