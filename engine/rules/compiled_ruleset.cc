// SPDX-License-Identifier: Apache-2.0
#include "engine/rules/compiled_ruleset.h"

#include <utility>

#include "engine/extract/matchers.h"

namespace engine {

CompiledRuleset::CompiledRuleset(RuleModel model, std::string digest,
                                 std::shared_ptr<const Matchers> matchers)
    : model_(std::move(model)), digest_(std::move(digest)), matchers_(std::move(matchers)) {
  for (std::size_t i = 0; i < model_.catalog.size(); ++i) by_id_[model_.catalog[i].id] = i;
  for (const TableRule& table : model_.tables) tables_[table.name] = &table;
  for (const CatalogEntry& entry : model_.catalog) {
    if (entry.role == Role::kRoot || entry.role == Role::kAmbiguous) deciding_.insert(entry.id);
  }
  for (const RefinerRule& rule : model_.refiners) {
    if (rule.combine) deciding_.insert(rule.combine->all.begin(), rule.combine->all.end());
    if (rule.escalate) deciding_.insert(rule.escalate->symptom);
  }
}

CompiledRuleset::~CompiledRuleset() = default;

const CompiledRuleset& CompiledRuleset::From(const Ruleset& ruleset) {
  return static_cast<const CompiledRuleset&>(ruleset);
}

const TableRule* CompiledRuleset::FindTable(const std::string& name) const {
  const auto found = tables_.find(name);
  return found == tables_.end() ? nullptr : found->second;
}

const CatalogEntry* CompiledRuleset::FindSymptom(std::string_view id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : &model_.catalog[found->second];
}

std::vector<const CatalogEntry*> CompiledRuleset::Catalog() const {
  std::vector<const CatalogEntry*> entries;
  for (const CatalogEntry& entry : model_.catalog) entries.push_back(&entry);
  return entries;
}

std::size_t CompiledRuleset::RuleCount() const {
  std::size_t count = model_.extractors.size() + model_.refiners.size() + model_.collectors.size();
  for (const TableRule& table : model_.tables) count += table.rows.size();
  return count;
}

const std::string& CompiledRuleset::Digest() const { return digest_; }

}  // namespace engine
