// SPDX-License-Identifier: Apache-2.0
// `attribution rules show SYMPTOM`: what the catalog says of a symptom, and which rules speak of
// it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>

#include "engine/authoring/symptom_use.h"
#include "operator/commands/rules_commands.h"
#include "operator/commands/ruleset_files.h"
#include "operator/visible_text.h"

namespace app {
namespace {

constexpr std::size_t kSuggestions = 10;

struct Arguments {
  std::string symptom;
  std::vector<std::string> files;
  bool alone = false;
};

std::string Joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string Joined(const std::vector<engine::Source>& sources) {
  std::vector<std::string> words;
  for (const engine::Source source : sources) words.emplace_back(engine::ToString(source));
  return Joined(words);
}

void Field(const char* name, const std::string& text) {
  if (!text.empty()) fmt::print("  {:<15} {}\n", name, VisibleText(text));
}

void Print(const engine::CatalogEntry& entry, const engine::SymptomUse& use) {
  fmt::print("{}: {}\n", VisibleText(entry.id), VisibleText(entry.title));
  Field("domain", std::string(engine::ToString(entry.domain)));
  Field("role", std::string(engine::ToString(entry.role)));
  Field("scope", entry.scope);
  Field("established by", entry.established_by.empty() ? "nothing" : Joined(entry.established_by));
  Field("inducible", entry.workload_inducible);
  Field("taint", entry.taint ? "Yes" : "No");
  if (entry.result != engine::Result::kFailed) {
    Field("result", std::string(engine::ToString(entry.result)));
  }
  Field("actor", entry.actor);
  Field("message", entry.message);
  Field("actions", Joined(entry.actions));
  for (const std::string& reference : entry.references) Field("reference", reference);
  for (const engine::SymptomUse::Finder& finder : use.finders) {
    fmt::print("\n  found by {}{} in {}  [{}]\n    {}\n", VisibleText(finder.rule),
               finder.code.empty() ? "" : fmt::format(" (code {})", VisibleText(finder.code)),
               Joined(finder.sources), VisibleText(finder.path), VisibleText(finder.pattern));
  }
  fmt::print("\n");
  Field("concluded by", Joined(use.makers));
  Field("explains", Joined(use.explains));
  Field("explained by", Joined(use.explained_by));
}

// Symptoms whose id or title holds the words.
void Suggest(const engine::Ruleset& ruleset, const std::string& words) {
  std::size_t count = 0;
  for (const engine::CatalogEntry* entry : ruleset.Catalog()) {
    const bool like =
        entry->id.find(words) != std::string::npos || entry->title.find(words) != std::string::npos;
    if (!like || ++count > kSuggestions) continue;
    fmt::print(stderr, "  {}: {}\n", VisibleText(entry->id), VisibleText(entry->title));
  }
  if (count > kSuggestions) fmt::print(stderr, "  and {} more\n", count - kSuggestions);
}

int ShowSymptom(const Arguments& arguments) {
  const auto ruleset = LoadRulesets(arguments.files, arguments.alone);
  if (ruleset == nullptr) return kExitBadInput;
  const engine::CatalogEntry* const entry = ruleset->FindSymptom(arguments.symptom);
  if (entry == nullptr) {
    fmt::print(stderr, "attribution rules show: no symptom \"{}\" in the catalog\n",
               VisibleText(arguments.symptom));
    Suggest(*ruleset, arguments.symptom);
    return kExitBadInput;
  }
  Print(*entry, engine::UseOfSymptom(*ruleset, entry->id));
  return kExitDone;
}

}  // namespace

void AddRulesShow(CLI::App& rules, Run& run) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      rules.add_subcommand("show", "What the catalog says of a symptom, and which rules find it");
  command->add_option("symptom", arguments->symptom, "Its id, such as xid-79")->required();
  AddRulesetFiles(command, arguments->files, arguments->alone);
  command->callback([arguments, &run] { run = [arguments] { return ShowSymptom(*arguments); }; });
}

}  // namespace app
