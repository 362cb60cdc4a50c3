// SPDX-License-Identifier: Apache-2.0
#include "engine/extract/literal_matcher.h"

#include <fmt/format.h>
#include <hs/hs.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace engine {
namespace {

int OnHit(unsigned int id, unsigned long long, unsigned long long to, unsigned int, void* context) {
  static_cast<std::vector<LiteralHit>*>(context)->push_back(
      {static_cast<std::size_t>(to), static_cast<int>(id)});
  return 0;
}

}  // namespace

LiteralMatcher::~LiteralMatcher() {
  for (hs_scratch* scratch : free_scratch_) hs_free_scratch(scratch);
  hs_free_scratch(prototype_);
  hs_free_database(database_);
}

std::unique_ptr<const LiteralMatcher> LiteralMatcher::Compile(
    const std::vector<std::string>& literals, std::string* error) {
  std::vector<const char*> texts;
  std::vector<std::size_t> lengths;
  std::vector<unsigned> ids;
  for (const std::string& literal : literals) {
    ids.push_back(static_cast<unsigned>(texts.size()));
    texts.push_back(literal.data());
    lengths.push_back(literal.size());
  }
  const std::vector<unsigned> flags(literals.size(), HS_FLAG_CASELESS);
  // No feature asked for: what is found with is chosen anew on each processor, and the tables are
  // the same for all.
  const hs_platform_info_t any{};
  std::unique_ptr<LiteralMatcher> matcher(new LiteralMatcher());
  hs_compile_error_t* problem = nullptr;
  if (hs_compile_lit_multi(texts.data(), flags.data(), ids.data(), lengths.data(),
                           static_cast<unsigned>(literals.size()), HS_MODE_BLOCK, &any,
                           &matcher->database_, &problem) != HS_SUCCESS) {
    *error = problem == nullptr ? "no reason given" : problem->message;
    hs_free_compile_error(problem);
    return nullptr;
  }
  if (hs_alloc_scratch(matcher->database_, &matcher->prototype_) != HS_SUCCESS) {
    *error = "no memory for scratch space";
    return nullptr;
  }
  return matcher;
}

std::unique_ptr<const LiteralMatcher> LiteralMatcher::Deserialize(std::string_view bytes) {
  std::unique_ptr<LiteralMatcher> matcher(new LiteralMatcher());
  if (hs_deserialize_database(bytes.data(), bytes.size(), &matcher->database_) != HS_SUCCESS ||
      hs_alloc_scratch(matcher->database_, &matcher->prototype_) != HS_SUCCESS) {
    return nullptr;
  }
  return matcher;
}

std::string LiteralMatcher::Serialize() const {
  char* bytes = nullptr;
  std::size_t size = 0;
  if (hs_serialize_database(database_, &bytes, &size) != HS_SUCCESS) throw std::bad_alloc();
  std::string serialized(bytes, size);
  std::free(bytes);  // NOLINT(cppcoreguidelines-no-malloc): the library's own allocator
  return serialized;
}

void LiteralMatcher::Scan(std::string_view text, std::vector<LiteralHit>& hits) const {
  if (text.empty()) return;
  hs_scratch* scratch = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (!free_scratch_.empty()) {
      scratch = free_scratch_.back();
      free_scratch_.pop_back();
    }
  }
  if (scratch == nullptr && hs_clone_scratch(prototype_, &scratch) != HS_SUCCESS) {
    throw std::bad_alloc();
  }
  const hs_error_t result =
      hs_scan(database_, text.data(), static_cast<unsigned>(text.size()), 0, scratch, OnHit, &hits);
  // Only a wrong call can fail; going on would lose evidence unseen.
  if (result != HS_SUCCESS) {
    fmt::print(stderr, "engine: the literal scan failed ({})\n", result);
    std::abort();
  }
  const auto by_end = [](const LiteralHit& a, const LiteralHit& b) { return a.end < b.end; };
  if (!std::is_sorted(hits.begin(), hits.end(), by_end)) {
    std::sort(hits.begin(), hits.end(), by_end);
  }
  const std::lock_guard lock(mutex_);
  free_scratch_.push_back(scratch);
}

}  // namespace engine
