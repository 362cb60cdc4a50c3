// SPDX-License-Identifier: Apache-2.0
#include "engine/rules/read_extractors.h"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace engine {
namespace {

constexpr std::size_t kMaxExamples = 32;
constexpr std::size_t kMaxRows = 400;
constexpr std::int64_t kMonthSeconds = 30LL * 24 * 3600;

RecordRule ReadRecord(const DocumentNode& node, const FieldReader& parent, ProblemList& problems) {
  FieldReader reader(node, parent.PathOf("record"), problems);
  reader.SetRule(parent.rule());
  RecordRule record;
  record.continue_pattern = reader.RequiredString("continue", kMaxPatternBytes);
  record.require = reader.OptionalString("require", kMaxPatternBytes);
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
  counter.within_seconds =
      static_cast<double>(reader.Integer("withinSeconds", 3600, 1, kMonthSeconds));
  counter.scope = reader.ReadScope("scope", /*pool=*/false);
  reader.RefuseOthers();
  return counter;
}

void ReadExamples(const DocumentNode& node, const FieldReader& parent, ProblemList& problems,
                  ExtractorRule& rule) {
  FieldReader reader(node, parent.PathOf("examples"), problems);
  reader.SetRule(rule.name);
  rule.examples_match = reader.Lines("match", kMaxExamples);
  rule.examples_no_match = reader.Lines("noMatch", kMaxExamples);
  if (reader.HasNone("match")) reader.Problem("match", "at least one example is needed");
  reader.RefuseOthers();
}

std::vector<Source> ReadSources(FieldReader& reader) {
  if (reader.HasNone("sources")) reader.Problem("sources", "at least one source is needed");
  return reader.Sources("sources");
}

}  // namespace

ExtractorRule ReadExtractor(FieldReader& reader, ProblemList& problems) {
  ExtractorRule rule;
  rule.name = reader.RequiredString("name");
  reader.SetRule(rule.name);
  rule.symptom = reader.OptionalString("symptom");
  rule.table = reader.OptionalString("table");
  if (reader.Has("symptom") == reader.Has("table")) {
    reader.Problem("symptom", "exactly one of symptom and table is needed");
  }
  rule.sources = ReadSources(reader);
  rule.match = reader.RequiredString("match", kMaxPatternBytes);
  rule.unless = reader.OptionalString("unless", kMaxPatternBytes);
  if (const DocumentNode* const record = reader.Map("record")) {
    rule.record = ReadRecord(*record, reader, problems);
  }
  if (const DocumentNode* const counter = reader.Map("counter")) {
    rule.counter = ReadCounter(*counter, reader, problems);
  }
  if (const DocumentNode* const examples = reader.Map("examples", /*required=*/true)) {
    ReadExamples(*examples, reader, problems, rule);
  }
  return rule;
}

TableRule ReadTable(FieldReader& reader, ProblemList& problems) {
  TableRule table;
  table.name = reader.RequiredString("name");
  reader.SetRule(table.name);
  const DocumentNode* const rows = reader.List("rows", kMaxRows);
  if (!reader.Has("rows")) reader.Problem("rows", "is required");
  if (rows == nullptr) return table;
  for (std::size_t i = 0; i < rows->items.size(); ++i) {
    const DocumentNode& item = rows->items[i];
    FieldReader row(item, fmt::format("{}[{}]", reader.PathOf("rows"), i), problems);
    if (item.type != DocumentNode::Type::kMap) continue;
    row.SetRule(table.name);
    const std::string key = row.RequiredString("key");
    const std::string symptom = row.RequiredString("symptom");
    if (!table.rows.emplace(key, symptom).second && !key.empty()) {
      row.Problem("key", fmt::format("\"{}\" stands twice", key));
    }
    row.RefuseOthers();
  }
  return table;
}

CollectorRule ReadCollector(FieldReader& reader) {
  CollectorRule rule;
  rule.name = reader.RequiredString("name", 64);
  reader.SetRule(rule.name);
  rule.sources = ReadSources(reader);
  rule.match = reader.RequiredString("match", kMaxPatternBytes);
  const std::string take =
      reader.Choice("take", {"First", "Last", "Count", "All"}, /*required=*/false);
  if (take == "Last") rule.take = CollectorRule::Take::kLast;
  if (take == "Count") rule.take = CollectorRule::Take::kCount;
  if (take == "All") rule.take = CollectorRule::Take::kAll;
  return rule;
}

}  // namespace engine
