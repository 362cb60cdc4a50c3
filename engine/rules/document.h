// SPDX-License-Identifier: Apache-2.0
// YAML (and JSON) text as a tree that remembers places, read with limits: hostile text is refused.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace engine {

struct DocumentNode {
  enum class Type { kNull, kScalar, kList, kMap };
  Type type = Type::kNull;
  std::string scalar;
  std::vector<DocumentNode> items;   // of a list
  std::vector<DocumentNode> keys;    // of a map: scalars, unique
  std::vector<DocumentNode> values;  // of a map: as many
  int line = 0;                      // 1-based
  int column = 0;

  // Null when the map has no such key.
  const DocumentNode* Find(std::string_view key) const;
};

struct DocumentProblem {
  std::string message;
  int line = 0;  // 0: of the whole text
  int column = 0;
};

// Appends all documents of a stream that are not empty. False: `problem` says what is wrong and
// where. Refused: more than 4 MiB, more than 32 levels, more than 500,000 values, bytes that are no
// UTF-8, aliases (they make small texts large), keys that are no printable scalars or stand twice.
bool ParseDocuments(std::string_view text, std::vector<DocumentNode>* documents,
                    DocumentProblem* problem);

}  // namespace engine
