// SPDX-License-Identifier: Apache-2.0
#include "engine/rules/read_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "engine/rules/read_catalog.h"
#include "engine/rules/read_extractors.h"
#include "engine/rules/read_refiner.h"
#include "engine/rules/read_test.h"

namespace engine {
namespace {

constexpr char kApiVersion[] = "attribution.dev/v1alpha1";
constexpr char kKind[] = "AttributionRuleset";

// A policy merges at most 8 rulesets, so this many times one ruleset's limit is enough for all.
constexpr std::size_t kMaxRulesets = 8;

using Version = std::array<int, 3>;

std::optional<Version> ParseVersion(std::string_view text) {
  Version version{};
  for (std::size_t i = 0; i < version.size(); ++i) {
    if (i > 0) {
      if (text.empty() || text.front() != '.') return std::nullopt;
      text.remove_prefix(1);
    }
    if (text.empty() || text.front() == '-') return std::nullopt;
    const auto [rest, error] =
        std::from_chars(text.data(), text.data() + text.size(), version.at(i));
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  }
  return text.empty() ? std::optional(version) : std::nullopt;
}

void CheckEngineVersion(FieldReader& spec) {
  const std::string text = spec.OptionalString("minEngineVersion", 32);
  if (!spec.Has("minEngineVersion")) return;
  const auto needed = ParseVersion(text);
  if (!needed) {
    spec.Problem("minEngineVersion", fmt::format("is \"{}\"; three numbers like {} are expected",
                                                 text, kEngineVersion));
  } else if (*needed > ParseVersion(kEngineVersion)) {
    spec.Problem("minEngineVersion",
                 fmt::format("needs an engine of version {} or newer, this one is {}; upgrade the "
                             "operator first",
                             text, kEngineVersion));
  }
}

// Reads the lists of one document's spec.
class SpecReader {
 public:
  SpecReader(FieldReader& spec, std::string document, RulePlaces& places, ProblemList& problems)
      : spec_(spec), document_(std::move(document)), places_(places), problems_(problems) {}

  // Merges each map that `read` makes of the list at `key`, whose names are unique, into `rules`:
  // the entry of that name is replaced where it stands; a new one goes to the end.
  template <typename Rule, typename Read>
  void ReadList(const char* key, const char* name_key, std::size_t max_items,
                std::vector<Rule>& rules, std::string Rule::*name, Read read) {
    const DocumentNode* const list = spec_.List(key, max_items);
    if (list == nullptr) return;
    std::set<std::string> seen;
    for (std::size_t i = 0; i < list->items.size(); ++i) {
      const DocumentNode& item = list->items[i];
      const std::string path = fmt::format("{}[{}]", spec_.PathOf(key), i);
      FieldReader reader(item, path, problems_);
      if (item.type != DocumentNode::Type::kMap) continue;
      Rule rule = read(reader);
      reader.RefuseOthers();
      const std::string& its_name = rule.*name;
      if (its_name.empty()) continue;  // reported: it is required
      if (!seen.insert(its_name).second) {
        reader.Problem(name_key, fmt::format("\"{}\" stands twice in {}", its_name, key));
      }
      Place(rule, key, its_name, {problems_.file, path, item.line, item.column});
      if (!Merge(rules, std::move(rule), name, max_items * kMaxRulesets)) {
        reader.Problem(name_key, fmt::format("more than {} {} when all rulesets are merged",
                                             max_items * kMaxRulesets, key));
        return;
      }
    }
  }

 private:
  template <typename Rule>
  void Place(Rule& rule, const char* list, const std::string& name, RulePlace place) {
    if constexpr (requires { rule.path; }) {
      rule.path = document_ + place.path;
      places_[rule.path] = std::move(place);
    } else {
      places_[PlaceKey(list, name)] = std::move(place);
    }
  }

  // False: there would be more than `max`.
  template <typename Rule>
  static bool Merge(std::vector<Rule>& rules, Rule rule, std::string Rule::*name, std::size_t max) {
    const auto known = std::find_if(rules.begin(), rules.end(),
                                    [&](const Rule& other) { return other.*name == rule.*name; });
    if (known != rules.end()) {
      *known = std::move(rule);
      return true;
    }
    if (rules.size() >= max) return false;
    rules.push_back(std::move(rule));
    return true;
  }

  FieldReader& spec_;
  const std::string document_;  // what the rules' paths begin with
  RulePlaces& places_;
  ProblemList& problems_;
};

void ReadSpec(FieldReader& spec, const std::string& document, RuleModel& model, RulePlaces& places,
              ProblemList& problems) {
  CheckEngineVersion(spec);
  SpecReader lists(spec, document, places, problems);
  lists.ReadList("catalog", "id", 250, model.catalog, &CatalogEntry::id,
                 [](FieldReader& reader) { return ReadCatalogEntry(reader); });
  lists.ReadList("extractors", "name", 500, model.extractors, &ExtractorRule::name,
                 [&](FieldReader& reader) { return ReadExtractor(reader, problems); });
  lists.ReadList("tables", "name", 8, model.tables, &TableRule::name,
                 [&](FieldReader& reader) { return ReadTable(reader, problems); });
  lists.ReadList("refiners", "name", 200, model.refiners, &RefinerRule::name,
                 [&](FieldReader& reader) { return ReadRefiner(reader, problems); });
  lists.ReadList("collectors", "name", 64, model.collectors, &CollectorRule::name,
                 [](FieldReader& reader) { return ReadCollector(reader); });
  lists.ReadList("tests", "name", 100, model.tests, &TestRule::name,
                 [&](FieldReader& reader) { return ReadTest(reader, problems); });
  spec.RefuseOthers();
}

}  // namespace

std::string PlaceKey(const std::string& list, const std::string& name) {
  // Names hold no line breaks, so this is no rule's path.
  return list + '\n' + name;
}

void ReadRules(const DocumentNode& document, const std::string& name, std::size_t number,
               RuleModel& model, RulePlaces& places, ProblemList& problems) {
  // Rules of several documents in one text are told apart by it, also in the paths that are shown.
  const std::string prefix = number == 0 ? "" : fmt::format("document[{}]", number);
  FieldReader reader(document, prefix, problems);
  if (document.type != DocumentNode::Type::kMap) return;
  if (!reader.Has("kind")) {
    ReadSpec(reader, name + ": ", model, places, problems);
    return;
  }
  reader.Choice("kind", {kKind}, /*required=*/true);
  reader.Choice("apiVersion", {kApiVersion}, /*required=*/true);
  // The API server's business, and not part of what the rules say.
  reader.Map("metadata");
  reader.Map("status");
  if (document.Find("kind")->scalar != kKind) return;
  if (const DocumentNode* const node = reader.Map("spec", /*required=*/true)) {
    FieldReader spec(*node, reader.PathOf("spec"), problems);
    ReadSpec(spec, name + ": ", model, places, problems);
  }
  reader.RefuseOthers();
}

}  // namespace engine
