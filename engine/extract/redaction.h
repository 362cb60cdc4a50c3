// SPDX-License-Identifier: Apache-2.0
// Secrets that programs print must not leave in a report.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace engine {

// Immutable once made; thread-safe.
class Redaction {
 public:
  Redaction();  // the built-in patterns
  ~Redaction();
  Redaction(const Redaction&) = delete;
  Redaction& operator=(const Redaction&) = delete;

  // Adds patterns (RE2). Returns RE2's message for the first bad one, empty when all are good; then
  // none is added. Before first use only.
  std::string Add(const std::vector<std::string>& patterns);

  // Every match is replaced by "[redacted]"; where a pattern has a first group, only that group.
  std::string Apply(std::string line) const;

  // The same for lines that stand one below the other: all lines of a private key go, also of one
  // whose beginning or end is not among them.
  void ApplyToBlock(std::vector<std::string>& lines) const;

 private:
  struct Pattern;
  std::vector<std::unique_ptr<Pattern>> patterns_;
};

}  // namespace engine
