// SPDX-License-Identifier: Apache-2.0
#include "engine/rules/read_test.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

namespace engine {
namespace {

constexpr std::size_t kMaxEvidence = 32;
constexpr std::size_t kMaxLines = 200;
constexpr std::size_t kMaxNodeBytes = 253;
constexpr std::size_t kMaxObjectBytes = 317;  // "node/" or namespace and name

TestEvidence ReadEvidence(FieldReader& reader) {
  TestEvidence evidence;
  if (const auto source = reader.OneSource("source")) evidence.source = *source;
  evidence.node = reader.OptionalString("node", kMaxNodeBytes);
  evidence.object = reader.OptionalString("object", kMaxObjectBytes);
  if (!reader.Has("lines")) reader.Problem("lines", "is required");
  evidence.lines = reader.Lines("lines", kMaxLines);
  reader.RefuseOthers();
  return evidence;
}

// A misspelt word would only show as a test that can never pass.
TestExpectation ReadExpectation(FieldReader& reader) {
  const auto word = [&](const char* key, const std::vector<std::string>& allowed) {
    std::string value = reader.Choice(key, allowed, /*required=*/false);
    return reader.Has(key) ? std::optional(std::move(value)) : std::nullopt;
  };
  // An empty string expects that there is none.
  const auto text = [&](const char* key, std::size_t max) {
    std::string value = reader.OptionalString(key, max);
    return reader.Has(key) ? std::optional(std::move(value)) : std::nullopt;
  };
  TestExpectation expect;
  expect.result = word("result", {"Failed", "Cancelled", "Succeeded", "Unknown"});
  expect.domain = word("domain", {"User", "Hardware", "Network", "Storage", "Platform", "Unknown"});
  expect.symptom = text("symptom", kMaxNameBytes);
  expect.node = text("node", kMaxNodeBytes);
  expect.taint = word("taint", {"Yes", "No"});
  expect.evidence_level = word("evidenceLevel", {"Hypothesis", "Supported", "Established"});
  expect.uncertainty = word("uncertainty", {"None", "NodeLogsMissing", "LogsRotated", "OnlyEffects",
                                            "Ambiguous", "NoEvidence", "RemoteCluster"});
  expect.rule = text("rule", kMaxNameBytes);
  reader.RefuseOthers();
  return expect;
}

}  // namespace

TestRule ReadTest(FieldReader& reader, ProblemList& problems) {
  TestRule test;
  test.name = reader.RequiredString("name");
  reader.SetRule(test.name);
  if (reader.HasNone("evidence")) reader.Problem("evidence", "at least one entry is needed");
  if (const DocumentNode* const evidence = reader.List("evidence", kMaxEvidence)) {
    for (std::size_t i = 0; i < evidence->items.size(); ++i) {
      const DocumentNode& item = evidence->items[i];
      FieldReader inner(item, fmt::format("{}[{}]", reader.PathOf("evidence"), i), problems);
      if (item.type != DocumentNode::Type::kMap) continue;
      inner.SetRule(test.name);
      test.evidence.push_back(ReadEvidence(inner));
    }
  }
  if (const DocumentNode* const expect = reader.Map("expect", /*required=*/true)) {
    FieldReader inner(*expect, reader.PathOf("expect"), problems);
    inner.SetRule(test.name);
    test.expect = ReadExpectation(inner);
    if (expect->keys.empty()) reader.Problem("expect", "at least one expectation is needed");
  }
  return test;
}

}  // namespace engine
