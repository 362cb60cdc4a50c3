// SPDX-License-Identifier: Apache-2.0
// Any bytes as evidence: the verdict does not depend on where they are cut, it is text, and no
// pattern that matches a line was left out by the literals.
#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/case.h"
#include "engine/extract/line_assembler.h"
#include "engine/extract/matchers_impl.h"
#include "engine/extract/visible_line.h"
#include "engine/rules/compiled_ruleset.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

constexpr std::size_t kMaxLines = 4;

const std::shared_ptr<const engine::Ruleset>& Rules() {
  static const auto ruleset = engine::Ruleset::Load(engine::Ruleset::BuiltinDocuments()).ruleset;
  return ruleset;
}

std::string Verdict(const engine::Stream& stream, std::string_view bytes, std::size_t chunk) {
  engine::Case one(Rules(), {.kind = "Job",
                             .name_space = {},
                             .name = "fuzz",
                             .start = engine::ParseRfc3339("2026-12-01T04:00:00Z")});
  const engine::StreamId id = one.Open(stream);
  for (; !bytes.empty(); bytes.remove_prefix(std::min(chunk, bytes.size()))) {
    one.Ingest(id, bytes.substr(0, chunk));
  }
  one.Close(id, engine::Coverage::kComplete);
  // Throws when something in it is no UTF-8.
  return engine::ToJson(one.Attribute()).dump();
}

bool Matches(const engine::Matchers::Impl& matchers, int pattern, std::string_view line) {
  return RE2::PartialMatch(re2::StringPiece(line.data(), line.size()),
                           matchers.pattern(pattern).match.get());
}

void CheckLiterals(engine::Source source, std::string_view line) {
  const engine::CompiledRuleset& ruleset = engine::CompiledRuleset::From(*Rules());
  const engine::Matchers::Impl& matchers = ruleset.matchers().impl();
  std::vector<engine::LiteralHit> hits;
  matchers.Scan(source, line, hits);
  std::vector<int> candidates;
  for (const engine::LiteralHit& hit : hits) {
    matchers.AddCandidates(source, hit.literal, candidates);
  }
  int pattern = 0;
  for (const engine::ExtractorRule& rule : ruleset.model().extractors) {
    if (std::find(rule.sources.begin(), rule.sources.end(), source) != rule.sources.end() &&
        !std::binary_search(candidates.begin(), candidates.end(), pattern) &&
        Matches(matchers, pattern, line)) {
      std::abort();
    }
    ++pattern;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes = fuzz::Text(data, size);
  const auto source = static_cast<engine::Source>(fuzz::TakeByte(bytes) % engine::kSourceCount);
  const auto framing = static_cast<engine::Framing>(fuzz::TakeByte(bytes) % 3);
  const engine::Stream stream = {
      .id = "s", .source = source, .framing = framing, .first_failed = true};
  const std::string whole = Verdict(stream, bytes, size + 1);
  if (Verdict(stream, bytes, 1) != whole) std::abort();
  if (Verdict(stream, bytes, 7) != whole) std::abort();
  std::string block(bytes);
  block += '\n';
  std::string_view rest = block;
  for (std::size_t i = 0; i < kMaxLines && !rest.empty(); ++i) {
    char end = '\n';
    CheckLiterals(source, engine::VisibleLine(engine::TakeLine(rest, &end)));
  }
  return 0;
}
