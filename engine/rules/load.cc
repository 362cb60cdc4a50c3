// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "engine/extract/matchers.h"
#include "engine/rules/checks.h"
#include "engine/rules/compiled_ruleset.h"
#include "engine/rules/digest.h"
#include "engine/rules/document.h"
#include "engine/rules/field_reader.h"
#include "engine/rules/placed_problems.h"
#include "engine/rules/prepared_rules.h"
#include "engine/rules/read_rules.h"
#include "engine/rules/warnings.h"
#include "engine/ruleset.h"

namespace engine {
namespace {

constexpr std::size_t kMaxDocuments = 64;

void ReadDocument(const RulesetDocument& document, RuleModel& model, RulePlaces& places,
                  std::vector<RulesetProblem>& problems) {
  ProblemList list{.file = document.name, .problems = {}};
  std::vector<DocumentNode> nodes;
  DocumentProblem problem;
  if (auto known = PreparedRules::Builtin().FindParsed(document.text)) {
    nodes = *std::move(known);
  } else if (!ParseDocuments(document.text, &nodes, &problem)) {
    // What stood before the mistake is not read: half a file would only give problems that follow.
    list.problems.push_back(
        MakeProblem({document.name, "", "", problem.message, problem.line, problem.column}));
    nodes.clear();
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    ReadRules(nodes[i], document.name, i, model, places, list);
  }
  problems.insert(problems.end(), list.problems.begin(), list.problems.end());
}

// Null: problems were added.
std::shared_ptr<const Matchers> CompileMatchers(const RuleModel& model, const RulePlaces& places,
                                                std::vector<RulesetProblem>& problems) {
  std::vector<RulesetProblem> found;
  std::shared_ptr<const Matchers> matchers = Matchers::Compile(model, found);
  PlacedProblems placed(places, problems);
  // The matchers name a rule by its path.
  for (const RulesetProblem& problem : found) {
    placed.Add(problem.path, "match", problem.rule, problem.message);
  }
  return matchers;
}

}  // namespace

const std::vector<RulesetDocument>& Ruleset::BuiltinDocuments() {
  return PreparedRules::Builtin().documents();
}

RulesetLoad Ruleset::Load(const std::vector<RulesetDocument>& documents) {
  RulesetLoad load;
  if (documents.size() > kMaxDocuments) {
    load.problems.push_back({.message = "more than 64 documents; merge some of them"});
    return load;
  }
  RuleModel model;
  RulePlaces places;
  for (const RulesetDocument& document : documents) {
    ReadDocument(document, model, places, load.problems);
  }
  // What is half-read would only give problems that follow from others.
  if (load.problems.empty()) CheckRules(model, places, load.problems);
  std::shared_ptr<const Matchers> matchers;
  if (load.problems.empty()) matchers = CompileMatchers(model, places, load.problems);
  if (load.problems.size() > kMaxProblems) load.problems.resize(kMaxProblems);
  if (!load.problems.empty()) return load;
  WarnOfRules(model, places, load.warnings);
  std::string digest = DigestOf(model);
  load.ruleset =
      std::make_shared<CompiledRuleset>(std::move(model), std::move(digest), std::move(matchers));
  return load;
}

}  // namespace engine
