// SPDX-License-Identifier: Apache-2.0
#include "engine/rules/read_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace engine {
namespace {

constexpr std::size_t kMaxPattern = 1024;
constexpr std::size_t kMaxName = 128;
constexpr std::int64_t kMonth = 31LL * 24 * 3600;

const std::vector<std::string> kDomains = {"Unknown", "User",    "Hardware",
                                           "Network", "Storage", "Platform"};
const std::vector<std::string> kRoles = {"Root", "Ambiguous", "Cascade", "Teardown", "Benign"};
const std::vector<std::string> kScopes = {"Workload", "Process", "GPU", "Node", "Fabric", "Pool"};
const std::vector<std::string> kSymptomScopes = {"Workload", "Process", "GPU", "Node", "Fabric"};

template <typename Enum>
Enum FromName(const std::string& name, std::initializer_list<Enum> all) {
  for (const Enum value : all) {
    if (ToString(value) == name) return value;
  }
  return *all.begin();
}

Scope ScopeOf(const std::string& name) {
  if (name == "Process") return Scope::kProcess;
  if (name == "GPU") return Scope::kGpu;
  if (name == "Node") return Scope::kNode;
  if (name == "Fabric") return Scope::kFabric;
  if (name == "Pool") return Scope::kPool;
  return Scope::kWorkload;
}

Scope ReadScope(FieldReader& reader) {
  return ScopeOf(reader.Choice("scope", kScopes, /*required=*/false));
}

CatalogEntry ReadCatalogEntry(FieldReader& reader) {
  CatalogEntry entry;
  entry.id = reader.RequiredString("id", kMaxName);
  reader.SetRule(entry.id);
  entry.title = reader.RequiredString("title", 256);
  entry.domain = FromName(reader.Choice("domain", kDomains, true),
                          {Domain::kUnknown, Domain::kUser, Domain::kHardware, Domain::kNetwork,
                           Domain::kStorage, Domain::kPlatform});
  entry.role =
      FromName(reader.Choice("role", kRoles, true),
               {Role::kRoot, Role::kAmbiguous, Role::kCascade, Role::kTeardown, Role::kBenign});
  entry.scope = reader.Choice("scope", kSymptomScopes, true);
  entry.established_by = reader.Sources("establishedBy");
  entry.workload_inducible = reader.Choice("workloadInducible", {"Unknown", "Yes", "No"}, false);
  if (entry.workload_inducible.empty()) entry.workload_inducible = "Unknown";
  entry.taint = reader.Choice("taint", {"No", "Yes"}, false) == "Yes";
  entry.result = reader.Choice("result", {"Failed", "Cancelled"}, false) == "Cancelled"
                     ? Result::kCancelled
                     : Result::kFailed;
  entry.actor = reader.OptionalString("actor", 64);
  entry.message = reader.OptionalString("message", 1024);
  entry.actions = reader.Strings("actions", 8, 64);
  entry.references = reader.Strings("references", 8, 512);
  if (entry.taint &&
      std::all_of(entry.established_by.begin(), entry.established_by.end(),
                  [](Source source) { return DefaultTrust(source) == Trust::kWorkload; })) {
    reader.Problem(
        "taint",
        "\"Yes\" needs a source in establishedBy that the workload cannot write (Kernel, "
        "Kubelet, NodeCondition, NodeMetric, PodStatus, Scheduler)");
  }
  return entry;
}

RecordRule ReadRecord(const DocumentNode& node, const FieldReader& parent, ProblemList& problems) {
  FieldReader reader(node, parent.PathOf("record"), problems);
  reader.SetRule(parent.rule());
  RecordRule record;
  record.continue_pattern = reader.RequiredString("continue", kMaxPattern);
  record.require = reader.OptionalString("require", kMaxPattern);
  record.max_lines = static_cast<int>(reader.Integer("maxLines", 8, 1, 64));
  record.max_seconds = static_cast<double>(reader.Integer("maxSeconds", 2, 0, 3600));
  reader.RefuseOthers();
  return record;
}

CounterRule ReadCounter(const DocumentNode& node, const FieldReader& parent,
                        ProblemList& problems) {
  FieldReader reader(node, parent.PathOf("counter"), problems);
  reader.SetRule(parent.rule());
  CounterRule counter;
  counter.increase_at_least =
      static_cast<double>(reader.Integer("increaseAtLeast", 1, 1, 1'000'000'000'000));
  counter.within_seconds = static_cast<double>(reader.Integer("withinSeconds", 3600, 1, kMonth));
  counter.scope = ScopeOf(reader.Choice("scope", kSymptomScopes, false));
  reader.RefuseOthers();
  return counter;
}

ExtractorRule ReadExtractor(FieldReader& reader, ProblemList& problems) {
  ExtractorRule rule;
  rule.name = reader.RequiredString("name", kMaxName);
  reader.SetRule(rule.name);
  rule.symptom = reader.OptionalString("symptom", kMaxName);
  rule.table = reader.OptionalString("table", kMaxName);
  if (rule.symptom.empty() == rule.table.empty()) {
    reader.Problem("symptom", "exactly one of symptom and table is needed");
  }
  rule.sources = reader.Sources("sources");
  if (rule.sources.empty()) reader.Problem("sources", "at least one source is needed");
  rule.match = reader.RequiredString("match", kMaxPattern);
  rule.unless = reader.OptionalString("unless", kMaxPattern);
  if (const DocumentNode* const record = reader.Map("record")) {
    rule.record = ReadRecord(*record, reader, problems);
  }
  if (const DocumentNode* const counter = reader.Map("counter")) {
    rule.counter = ReadCounter(*counter, reader, problems);
  }
  if (const DocumentNode* const examples = reader.Map("examples", /*required=*/true)) {
    FieldReader inner(*examples, reader.PathOf("examples"), problems);
    inner.SetRule(rule.name);
    rule.examples_match = inner.Strings("match", 32);
    rule.examples_no_match = inner.Strings("noMatch", 32);
    if (rule.examples_match.empty()) inner.Problem("match", "at least one example is needed");
    inner.RefuseOthers();
  }
  return rule;
}

TableRule ReadTable(FieldReader& reader, ProblemList& problems) {
  TableRule table;
  table.name = reader.RequiredString("name", kMaxName);
  reader.SetRule(table.name);
  const DocumentNode* const rows = reader.List("rows", 400);
  if (rows == nullptr) return table;
  for (std::size_t i = 0; i < rows->items.size(); ++i) {
    FieldReader row(rows->items[i], fmt::format("{}[{}]", reader.PathOf("rows"), i), problems);
    row.SetRule(table.name);
    const std::string key = row.RequiredString("key", kMaxName);
    if (!table.rows.emplace(key, row.RequiredString("symptom", kMaxName)).second) {
      row.Problem("key", fmt::format("\"{}\" stands twice", key));
    }
    row.RefuseOthers();
  }
  return table;
}

void ReadExplain(FieldReader& reader, RefinerRule& rule) {
  ExplainRule explain;
  explain.cause = reader.RequiredString("cause", kMaxName);
  explain.effects = reader.Strings("effects", 64, kMaxName);
  if (explain.effects.empty()) reader.Problem("effects", "at least one symptom is needed");
  explain.scope = ReadScope(reader);
  explain.before_seconds = static_cast<double>(reader.Integer("beforeSeconds", 7'200, 0, 604'800));
  explain.after_seconds = static_cast<double>(reader.Integer("afterSeconds", 10, 0, 86'400));
  rule.explain = std::move(explain);
}

void ReadCombine(FieldReader& reader, RefinerRule& rule) {
  CombineRule combine;
  combine.all = reader.Strings("all", 16, kMaxName);
  if (combine.all.empty()) reader.Problem("all", "at least one symptom is needed");
  combine.none = reader.Strings("none", 16, kMaxName);
  combine.coverage = reader.Sources("coverage");
  combine.all_but_one_rank = reader.Choice("ranks", {"AllButOne"}, false) == "AllButOne";
  combine.scope = ReadScope(reader);
  combine.within_seconds = static_cast<double>(reader.Integer("withinSeconds", 0, 0, 604'800));
  combine.result = reader.RequiredString("result", kMaxName);
  rule.combine = std::move(combine);
}

void ReadEscalate(FieldReader& reader, RefinerRule& rule) {
  EscalateRule escalate;
  escalate.symptom = reader.RequiredString("symptom", kMaxName);
  escalate.at_least = static_cast<int>(reader.Integer("atLeast", 1, 1, 10'000));
  const std::string distinct = reader.Choice("distinct", {"Tenant", "Node", "GPU"}, false);
  if (distinct == "Tenant") escalate.distinct = EscalateRule::Distinct::kTenant;
  if (distinct == "Node") escalate.distinct = EscalateRule::Distinct::kNode;
  if (distinct == "GPU") escalate.distinct = EscalateRule::Distinct::kGpu;
  escalate.scope = ReadScope(reader);
  escalate.within_seconds = static_cast<double>(reader.Integer("withinSeconds", 0, 0, kMonth));
  escalate.result = reader.RequiredString("result", kMaxName);
  rule.escalate = std::move(escalate);
}

void ReadPrefer(FieldReader& reader, RefinerRule& rule) {
  PreferRule prefer;
  prefer.symptom = reader.RequiredString("symptom", kMaxName);
  prefer.over = reader.Strings("over", 64, kMaxName);
  if (prefer.over.empty()) reader.Problem("over", "at least one symptom is needed");
  prefer.scope = ReadScope(reader);
  rule.prefer = std::move(prefer);
}

RefinerRule ReadRefiner(FieldReader& reader, ProblemList& problems) {
  RefinerRule rule;
  rule.name = reader.RequiredString("name", kMaxName);
  reader.SetRule(rule.name);
  int kinds = 0;
  const auto read = [&](const char* key, void (*fill)(FieldReader&, RefinerRule&)) {
    const DocumentNode* const node = reader.Map(key);
    if (node == nullptr) return;
    ++kinds;
    FieldReader inner(*node, reader.PathOf(key), problems);
    inner.SetRule(rule.name);
    fill(inner, rule);
    inner.RefuseOthers();
  };
  read("explain", ReadExplain);
  read("combine", ReadCombine);
  read("escalate", ReadEscalate);
  read("prefer", ReadPrefer);
  if (kinds != 1) {
    reader.Problem("name", "exactly one of explain, combine, escalate and prefer is needed");
  }
  return rule;
}

CollectorRule ReadCollector(FieldReader& reader) {
  CollectorRule rule;
  rule.name = reader.RequiredString("name", 64);
  reader.SetRule(rule.name);
  rule.sources = reader.Sources("sources");
  if (rule.sources.empty()) reader.Problem("sources", "at least one source is needed");
  rule.match = reader.RequiredString("match", kMaxPattern);
  const std::string take = reader.Choice("take", {"First", "Last", "Count", "All"}, false);
  if (take == "Last") rule.take = CollectorRule::Take::kLast;
  if (take == "Count") rule.take = CollectorRule::Take::kCount;
  if (take == "All") rule.take = CollectorRule::Take::kAll;
  return rule;
}

TestRule ReadTest(FieldReader& reader, ProblemList& problems) {
  TestRule test;
  test.name = reader.RequiredString("name", kMaxName);
  reader.SetRule(test.name);
  if (const DocumentNode* const evidence = reader.List("evidence", 32)) {
    for (std::size_t i = 0; i < evidence->items.size(); ++i) {
      FieldReader one(evidence->items[i], fmt::format("{}[{}]", reader.PathOf("evidence"), i),
                      problems);
      one.SetRule(test.name);
      TestEvidence entry;
      const std::string source = one.RequiredString("source", 32);
      if (const auto known = ParseSource(source)) {
        entry.source = *known;
      } else if (!source.empty()) {
        one.Problem("source", fmt::format("\"{}\" is no source", source));
      }
      entry.node = one.OptionalString("node", 253);
      entry.object = one.OptionalString("object", 317);
      entry.lines = one.Strings("lines", 200);
      one.RefuseOthers();
      test.evidence.push_back(std::move(entry));
    }
  }
  if (test.evidence.empty()) reader.Problem("evidence", "at least one entry is needed");
  if (const DocumentNode* const expect = reader.Map("expect", /*required=*/true)) {
    FieldReader inner(*expect, reader.PathOf("expect"), problems);
    inner.SetRule(test.name);
    const auto read = [&](const char* key) -> std::optional<std::string> {
      std::string value = inner.OptionalString(key, 253);
      if (value.empty() && expect->Find(key) == nullptr) return std::nullopt;
      return value;
    };
    test.expect = {.result = read("result"),
                   .domain = read("domain"),
                   .symptom = read("symptom"),
                   .node = read("node"),
                   .taint = read("taint"),
                   .evidence_level = read("evidenceLevel"),
                   .uncertainty = read("uncertainty"),
                   .rule = read("rule")};
    inner.RefuseOthers();
  }
  return test;
}

// The entry of that name is replaced where it stands; a new one goes to the end.
template <typename Rule>
void Merge(std::vector<Rule>& rules, Rule rule, std::string Rule::*name) {
  const auto known = std::find_if(rules.begin(), rules.end(),
                                  [&](const Rule& other) { return other.*name == rule.*name; });
  if (known == rules.end()) {
    rules.push_back(std::move(rule));
  } else {
    *known = std::move(rule);
  }
}

// Calls `read` for each map of the list at `key`, with names that must be unique in the document.
template <typename Rule>
void ReadList(FieldReader& spec, const char* key, std::size_t max_items, ProblemList& problems,
              const std::string& document, RulePlaces& places,
              const std::function<Rule(FieldReader&)>& read, std::string Rule::*name,
              std::vector<Rule>& rules, const std::function<void(Rule&, std::string)>& set_path) {
  const DocumentNode* const list = spec.List(key, max_items);
  if (list == nullptr) return;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    const DocumentNode& item = list->items[i];
    const std::string path = fmt::format("{}[{}]", spec.PathOf(key), i);
    FieldReader reader(item, path, problems);
    if (item.type != DocumentNode::Type::kMap) continue;
    Rule rule = read(reader);
    reader.RefuseOthers();
    if (!seen.insert(rule.*name).second) {
      reader.Problem("name", fmt::format("\"{}\" stands twice in {}", rule.*name, key));
    }
    const std::string full = document + ": " + path;
    places[full] = {problems.file, path, item.line, item.column};
    set_path(rule, full);
    Merge(rules, std::move(rule), name);
  }
}

void ReadSpec(FieldReader& spec, const std::string& document, RuleModel& model, RulePlaces& places,
              ProblemList& problems) {
  spec.OptionalString("minEngineVersion", 32);
  ReadList<CatalogEntry>(
      spec, "catalog", 250, problems, document, places,
      [](FieldReader& reader) { return ReadCatalogEntry(reader); }, &CatalogEntry::id,
      model.catalog, [](CatalogEntry&, const std::string&) {});
  ReadList<ExtractorRule>(
      spec, "extractors", 500, problems, document, places,
      [&](FieldReader& reader) { return ReadExtractor(reader, problems); }, &ExtractorRule::name,
      model.extractors, [](ExtractorRule& rule, std::string path) { rule.path = std::move(path); });
  ReadList<TableRule>(
      spec, "tables", 8, problems, document, places,
      [&](FieldReader& reader) { return ReadTable(reader, problems); }, &TableRule::name,
      model.tables, [](TableRule&, const std::string&) {});
  ReadList<RefinerRule>(
      spec, "refiners", 200, problems, document, places,
      [&](FieldReader& reader) { return ReadRefiner(reader, problems); }, &RefinerRule::name,
      model.refiners, [](RefinerRule& rule, std::string path) { rule.path = std::move(path); });
  ReadList<CollectorRule>(
      spec, "collectors", 64, problems, document, places,
      [](FieldReader& reader) { return ReadCollector(reader); }, &CollectorRule::name,
      model.collectors, [](CollectorRule& rule, std::string path) { rule.path = std::move(path); });
  ReadList<TestRule>(
      spec, "tests", 100, problems, document, places,
      [&](FieldReader& reader) { return ReadTest(reader, problems); }, &TestRule::name, model.tests,
      [](TestRule& rule, std::string path) { rule.path = std::move(path); });
  spec.RefuseOthers();
}

}  // namespace

void ReadRules(const DocumentNode& document, const std::string& name, RuleModel& model,
               RulePlaces& places, ProblemList& problems) {
  FieldReader reader(document, "", problems);
  if (document.type != DocumentNode::Type::kMap) return;
  const DocumentNode* const kind = document.Find("kind");
  if (kind == nullptr) {
    ReadSpec(reader, name, model, places, problems);
    return;
  }
  if (kind->scalar != "AttributionRuleset") {
    reader.Problem("kind", fmt::format("is \"{}\"; AttributionRuleset is expected", kind->scalar));
    return;
  }
  const DocumentNode* const spec_node = reader.Map("spec", /*required=*/true);
  if (spec_node == nullptr) return;
  FieldReader spec(*spec_node, "spec", problems);
  ReadSpec(spec, name, model, places, problems);
}

}  // namespace engine
