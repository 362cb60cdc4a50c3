// SPDX-License-Identifier: Apache-2.0
// Many literals in one pass over a buffer (Vectorscan).
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

struct hs_database;
struct hs_scratch;

namespace engine {

// A literal that was found: where it ends in the scanned text, and which one it is.
struct LiteralHit {
  std::size_t end = 0;
  int literal = 0;
};

// Immutable and safe to use from any thread.
class LiteralMatcher {
 public:
  // `literals` in lower case, none empty; matched whatever the case of ASCII letters. Null: `error`
  // says why not.
  static std::unique_ptr<const LiteralMatcher> Compile(const std::vector<std::string>& literals,
                                                       std::string* error);
  // From what Serialize() gave. Null: it was made by another version of Vectorscan or for another
  // processor.
  static std::unique_ptr<const LiteralMatcher> Deserialize(std::string_view bytes);
  // For any processor of the architecture.
  std::string Serialize() const;

  ~LiteralMatcher();
  LiteralMatcher(const LiteralMatcher&) = delete;
  LiteralMatcher& operator=(const LiteralMatcher&) = delete;

  // Appends the literals that occur in `text` (less than 4 GiB), in the order of their ends.
  void Scan(std::string_view text, std::vector<LiteralHit>& hits) const;

 private:
  LiteralMatcher() = default;

  hs_database* database_ = nullptr;
  hs_scratch* prototype_ = nullptr;
  mutable std::mutex mutex_;
  mutable std::vector<hs_scratch*> free_scratch_;  // one per thread that scans at a time
};

}  // namespace engine
