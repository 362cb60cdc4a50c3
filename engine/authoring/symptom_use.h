// SPDX-License-Identifier: Apache-2.0
// Where a symptom stands in a ruleset: for those who write rules.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/ruleset.h"

namespace engine {

struct SymptomUse {
  // An extractor that finds it.
  struct Finder {
    std::string rule;
    std::string path;
    std::string pattern;
    std::string code;  // the key of the row, if it stands in a table
    std::vector<Source> sources;
  };
  std::vector<Finder> finders;
  std::vector<std::string> makers;        // refiners that conclude it
  std::vector<std::string> explains;      // its effects, sorted
  std::vector<std::string> explained_by;  // its causes, sorted
};

SymptomUse UseOfSymptom(const Ruleset& ruleset, std::string_view id);

}  // namespace engine
