// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "engine/extract/matchers.h"
#include "engine/rules/checks.h"
#include "engine/rules/compiled_ruleset.h"
#include "engine/rules/digest.h"
#include "engine/rules/document.h"
#include "engine/rules/field_reader.h"
#include "engine/rules/read_rules.h"
#include "engine/ruleset.h"

namespace engine {
namespace {

constexpr std::size_t kMaxDocuments = 64;

}  // namespace

RulesetLoad Ruleset::Load(const std::vector<RulesetDocument>& documents) {
  RulesetLoad load;
  RuleModel model;
  RulePlaces places;
  if (documents.size() > kMaxDocuments) {
    load.problems.push_back({.message = "more than 64 documents"});
    return load;
  }
  for (const RulesetDocument& document : documents) {
    ProblemList problems{.file = document.name, .problems = {}};
    std::vector<DocumentNode> nodes;
    DocumentProblem problem;
    if (!ParseDocuments(document.text, &nodes, &problem)) {
      problems.problems.push_back(
          {document.name, "", "", problem.message, problem.line, problem.column});
    }
    for (const DocumentNode& node : nodes) {
      ReadRules(node, document.name, model, places, problems);
    }
    load.problems.insert(load.problems.end(), problems.problems.begin(), problems.problems.end());
  }
  // What is half-read would only give problems that follow from others.
  if (load.problems.empty()) CheckRules(model, places, load.problems, load.warnings);
  if (load.problems.empty()) {
    std::shared_ptr<const Matchers> matchers = Matchers::Compile(model, load.problems);
    for (RulesetProblem& problem : load.problems) {
      // The matchers name a rule by its path; tell the place.
      const auto place = places.find(problem.path);
      if (place == places.end()) continue;
      problem.file = place->second.file;
      problem.line = place->second.line;
      problem.column = place->second.column;
      problem.path = place->second.path + ".match";
    }
    if (load.problems.empty() && matchers) {
      std::string digest = DigestOf(model);
      load.ruleset = std::make_shared<CompiledRuleset>(std::move(model), std::move(digest),
                                                       std::move(matchers));
    }
  }
  if (load.problems.size() > kMaxProblems) load.problems.resize(kMaxProblems);
  return load;
}

}  // namespace engine
