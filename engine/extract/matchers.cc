// SPDX-License-Identifier: Apache-2.0
// RE2 tells which literals ("atoms") a match of each pattern must contain (FilteredRE2). Vectorscan
// finds all atoms of all patterns in one pass over a buffer. A pattern is only run on a line that
// holds its atoms.
#include "engine/extract/matchers.h"

#include <fmt/format.h>
#include <hs/hs.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "engine/extract/matchers_impl.h"
#include "engine/rules/pattern.h"

namespace engine {
namespace {

constexpr int kMinAtomBytes = 4;

std::unique_ptr<RE2> CompileOptional(const std::string& pattern) {
  return pattern.empty() ? nullptr : std::make_unique<RE2>(pattern, PatternOptions());
}

int OnHit(unsigned int id, unsigned long long, unsigned long long to, unsigned int, void* context) {
  static_cast<std::vector<AtomHit>*>(context)->push_back(
      {static_cast<std::size_t>(to), static_cast<int>(id)});
  return 0;
}

}  // namespace

Matchers::Impl::Impl() : filter_(kMinAtomBytes) {}

Matchers::Impl::~Impl() {
  for (hs_scratch* scratch : free_scratch_) hs_free_scratch(scratch);
  hs_free_scratch(prototype_);
  hs_free_database(database_);
}

bool Matchers::Impl::Build(const RuleModel& model, std::vector<RulesetProblem>& problems) {
  const auto add = [&](const std::string& match, const std::vector<Source>& sources,
                       const std::string& path, const std::string& rule) {
    int id = 0;
    const auto code = filter_.Add(match, PatternOptions(), &id);
    if (code != RE2::NoError) {
      problems.push_back({.path = path, .rule = rule, .message = "cannot be compiled by RE2"});
      return false;
    }
    CompiledPattern pattern;
    for (const Source source : sources) pattern.sources |= SourceBit(source);
    patterns_.push_back(std::move(pattern));
    return true;
  };
  for (const ExtractorRule& rule : model.extractors) {
    if (!add(rule.match, rule.sources, rule.path, rule.name)) return false;
    CompiledPattern& pattern = patterns_.back();
    pattern.unless = CompileOptional(rule.unless);
    if (rule.record) {
      pattern.record_continue = CompileOptional(rule.record->continue_pattern);
      pattern.record_require = CompileOptional(rule.record->require);
    }
  }
  extractor_count_ = static_cast<int>(patterns_.size());
  for (const CollectorRule& rule : model.collectors) {
    if (!add(rule.match, rule.sources, rule.path, rule.name)) return false;
  }
  if (patterns_.empty()) return true;
  std::vector<std::string> atoms;
  filter_.Compile(&atoms);
  for (std::size_t i = 0; i < patterns_.size(); ++i) {
    const RE2& re = filter_.GetRE2(static_cast<int>(i));
    patterns_[i].match = &re;
    for (const auto& [name, index] : re.NamedCapturingGroups()) {
      patterns_[i].groups.emplace_back(name, index);
    }
  }

  // What needs no literal would have to be run on every line.
  std::vector<int> unfiltered;
  filter_.AllPotentials({}, &unfiltered);
  for (const int id : unfiltered) {
    const bool collector = IsCollector(id);
    const std::string& path =
        collector ? model.collectors[static_cast<std::size_t>(CollectorIndex(id))].path
                  : model.extractors[static_cast<std::size_t>(id)].path;
    const std::string& name =
        collector ? model.collectors[static_cast<std::size_t>(CollectorIndex(id))].name
                  : model.extractors[static_cast<std::size_t>(id)].name;
    problems.push_back(
        {.path = path,
         .rule = name,
         .message = fmt::format("has no literal of at least {} bytes that every match contains, "
                                "which would make every line slow; add some of the fixed text",
                                kMinAtomBytes)});
  }
  if (!unfiltered.empty() || atoms.empty()) return false;

  std::vector<const char*> texts;
  std::vector<unsigned> flags(atoms.size(), HS_FLAG_CASELESS);
  std::vector<unsigned> ids(atoms.size());
  std::vector<std::size_t> lengths;
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    texts.push_back(atoms[i].data());
    lengths.push_back(atoms[i].size());
    ids[i] = static_cast<unsigned>(i);
  }
  hs_compile_error_t* error = nullptr;
  if (hs_compile_lit_multi(texts.data(), flags.data(), ids.data(), lengths.data(),
                           static_cast<unsigned>(atoms.size()), HS_MODE_BLOCK, nullptr, &database_,
                           &error) != HS_SUCCESS) {
    problems.push_back({.message = fmt::format("the literals cannot be compiled: {}",
                                               error == nullptr ? "" : error->message)});
    hs_free_compile_error(error);
    return false;
  }
  if (hs_alloc_scratch(database_, &prototype_) != HS_SUCCESS) {
    problems.push_back({.message = "no memory for the literals' scratch space"});
    return false;
  }
  return true;
}

void Matchers::Impl::Scan(std::string_view text, std::vector<AtomHit>& hits) const {
  if (database_ == nullptr || text.empty()) return;
  hs_scratch* scratch = nullptr;
  {
    const std::lock_guard lock(scratch_mutex_);
    if (!free_scratch_.empty()) {
      scratch = free_scratch_.back();
      free_scratch_.pop_back();
    }
  }
  if (scratch == nullptr && hs_clone_scratch(prototype_, &scratch) != HS_SUCCESS) {
    throw std::bad_alloc();
  }
  // Blocks are pieces of at most some MiB; the library counts in 32 bits.
  const hs_error_t result =
      hs_scan(database_, text.data(), static_cast<unsigned>(text.size()), 0, scratch, OnHit, &hits);
  // Only a wrong call can fail; going on would lose evidence unseen.
  if (result != HS_SUCCESS) {
    fmt::print(stderr, "engine: the literal scan failed ({})\n", result);
    std::abort();
  }
  std::sort(hits.begin(), hits.end(), [](const AtomHit& a, const AtomHit& b) {
    return a.end != b.end ? a.end < b.end : a.atom < b.atom;
  });
  const std::lock_guard lock(scratch_mutex_);
  free_scratch_.push_back(scratch);
}

void Matchers::Impl::Candidates(const std::vector<int>& atoms, std::vector<int>& patterns) const {
  filter_.AllPotentials(atoms, &patterns);
  std::sort(patterns.begin(), patterns.end());
}

Matchers::Matchers(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Matchers::~Matchers() = default;

std::shared_ptr<const Matchers> Matchers::Compile(const RuleModel& model,
                                                  std::vector<RulesetProblem>& problems) {
  auto impl = std::make_unique<Impl>();
  if (!impl->Build(model, problems)) return nullptr;
  return std::shared_ptr<const Matchers>(new Matchers(std::move(impl)));
}

}  // namespace engine
