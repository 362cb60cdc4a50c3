// SPDX-License-Identifier: Apache-2.0
#include "controllers/ruleset/ruleset_store.h"

#include <algorithm>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <utility>

namespace controllers {
namespace {

// Distinct lists of rulesets that policies ask for; each costs a compiled ruleset in memory.
constexpr std::size_t kMaxCompiled = 16;

class Store final : public RulesetStore {
 public:
  Store() : builtin_(engine::Ruleset::Load(engine::Ruleset::BuiltinDocuments()).ruleset) {
    if (!builtin_) throw std::logic_error("the built-in ruleset does not load");
  }

  // Compiling under the lock: whoever waits most likely wants the same result.
  MergedRuleset Merge(const std::vector<std::string>& names) override {
    const std::lock_guard lock(mutex_);
    return MergeLocked(names);
  }

  MergedRuleset MergeAll() override {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> names{std::string(kBuiltinRuleset)};
    for (const auto& [name, part] : parts_) names.push_back(name);
    return MergeLocked(names);
  }

  void Expect(const std::string& name) override {
    const std::lock_guard lock(mutex_);
    if (!parts_.contains(name)) expected_.insert(name);
  }

  void Put(const std::string& name, std::int64_t generation, engine::RulesetDocument document,
           std::string digest) override {
    const std::lock_guard lock(mutex_);
    expected_.erase(name);
    Forget(name);
    parts_[name] = {generation, std::move(document), std::move(digest)};
  }

  void Remove(const std::string& name) override {
    const std::lock_guard lock(mutex_);
    expected_.erase(name);
    Forget(name);
    parts_.erase(name);
  }

 private:
  struct Part {
    std::int64_t generation = 0;
    engine::RulesetDocument document;
    std::string digest;
  };
  struct Compiled {
    std::vector<std::string> names;                  // in merge order
    std::shared_ptr<const engine::Ruleset> ruleset;  // null: these contradict each other
  };

  MergedRuleset MergeLocked(const std::vector<std::string>& names) {
    MergedRuleset merged;
    std::vector<std::string> present;
    for (const std::string& name : names) {
      if (std::find(present.begin(), present.end(), name) != present.end()) continue;
      if (name == kBuiltinRuleset || parts_.contains(name)) {
        present.push_back(name);
      } else {
        merged.missing.push_back(name);
        if (expected_.contains(name)) merged.pending.push_back(name);
      }
    }
    if (const auto ruleset = Compile(present)) {
      merged.ruleset = ruleset;
      for (const std::string& name : present) merged.applied.push_back(Applied(name));
      return merged;
    }
    merged.ruleset = builtin_;
    merged.applied.push_back(Applied(std::string(kBuiltinRuleset)));
    for (const std::string& name : present) {
      if (name != kBuiltinRuleset) merged.missing.push_back(name);
    }
    return merged;
  }

  AppliedRuleset Applied(const std::string& name) const {
    const auto part = parts_.find(name);
    if (part == parts_.end()) return {name, 0, builtin_->Digest()};
    return {name, part->second.generation, part->second.digest};
  }

  // Null when the merge fails, or nothing is to be merged.
  std::shared_ptr<const engine::Ruleset> Compile(const std::vector<std::string>& names) {
    if (names.empty()) return nullptr;
    if (names.size() == 1 && names.front() == kBuiltinRuleset) return builtin_;
    const auto known = std::find_if(compiled_.begin(), compiled_.end(),
                                    [&](const Compiled& entry) { return entry.names == names; });
    if (known != compiled_.end()) {
      compiled_.splice(compiled_.begin(), compiled_, known);
      return compiled_.front().ruleset;
    }
    std::vector<engine::RulesetDocument> documents;
    for (const std::string& name : names) {
      if (name == kBuiltinRuleset) {
        const auto& builtin = engine::Ruleset::BuiltinDocuments();
        documents.insert(documents.end(), builtin.begin(), builtin.end());
      } else {
        documents.push_back(parts_.at(name).document);
      }
    }
    compiled_.push_front({names, engine::Ruleset::Load(documents).ruleset});
    if (compiled_.size() > kMaxCompiled) compiled_.pop_back();
    return compiled_.front().ruleset;
  }

  void Forget(const std::string& name) {
    compiled_.remove_if([&](const Compiled& entry) {
      return std::find(entry.names.begin(), entry.names.end(), name) != entry.names.end();
    });
  }

  const std::shared_ptr<const engine::Ruleset> builtin_;
  std::mutex mutex_;
  std::map<std::string, Part> parts_;
  std::set<std::string> expected_;
  std::list<Compiled> compiled_;  // most recently used first
};

}  // namespace

std::unique_ptr<RulesetStore> NewRulesetStore() { return std::make_unique<Store>(); }

}  // namespace controllers
