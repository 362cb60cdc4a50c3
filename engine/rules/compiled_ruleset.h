// SPDX-License-Identifier: Apache-2.0
// The one implementation of Ruleset. Within the engine only: a Case gets at the model by
// `CompiledRuleset::From(ruleset)`.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/rules/model.h"
#include "engine/ruleset.h"

namespace engine {

class Matchers;  // engine/extract/matchers.h: every pattern compiled, and the prefilter over them

class CompiledRuleset final : public Ruleset {
 public:
  CompiledRuleset(RuleModel model, std::string digest, std::shared_ptr<const Matchers> matchers);
  ~CompiledRuleset() override;

  // Every Ruleset is one.
  static const CompiledRuleset& From(const Ruleset& ruleset);

  const RuleModel& model() const { return model_; }
  const Matchers& matchers() const { return *matchers_; }
  const TableRule* FindTable(const std::string& name) const;  // null: there is none

  // Whether a verdict may rest on the symptom, directly or as a part of another: its line is worth
  // what stands around it.
  bool MayDecide(const std::string& symptom) const { return deciding_.contains(symptom); }

  const CatalogEntry* FindSymptom(std::string_view id) const override;
  std::vector<const CatalogEntry*> Catalog() const override;
  std::size_t RuleCount() const override;
  const std::string& Digest() const override;

 private:
  RuleModel model_;
  std::string digest_;
  std::shared_ptr<const Matchers> matchers_;
  std::map<std::string, std::size_t, std::less<>> by_id_;
  std::map<std::string, const TableRule*> tables_;  // of model_
  std::set<std::string> deciding_;
};

}  // namespace engine
