// SPDX-License-Identifier: Apache-2.0
// Which boot of a node a record of its kernel belongs to.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "engine/time.h"

namespace controllers {

// Remembers of each boot the span of the records that were read. Thread-safe.
class NodeBoots {
 public:
  void Note(const std::string& node, const std::string& boot_id, engine::Time time);
  // The boot under which the record of that time was written. Empty: no boot's records span it, or
  // those of several do (a clock that was set back).
  std::string At(const std::string& node, engine::Time time) const;

 private:
  struct Span {
    engine::Time first;
    engine::Time last;
  };
  mutable std::mutex mutex_;
  std::map<std::string, std::map<std::string, Span>> spans_;  // by node, by boot
};

}  // namespace controllers
