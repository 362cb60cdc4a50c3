// SPDX-License-Identifier: Apache-2.0
#include "engine/extract/match_memo.h"

#include <functional>

namespace engine {
namespace {

constexpr std::size_t kSlots = 2048;
constexpr std::size_t kMaxMessageBytes = 384;

}  // namespace

std::size_t MatchMemo::SlotOf(Source source, std::string_view message) {
  return (std::hash<std::string_view>()(message) + static_cast<std::size_t>(source)) % kSlots;
}

const std::vector<int>* MatchMemo::Find(Source source, std::string_view message) const {
  if (slots_.empty() || message.empty() || message.size() > kMaxMessageBytes) return nullptr;
  const Slot& slot = slots_[SlotOf(source, message)];
  return slot.source == source && slot.message == message ? &slot.matched : nullptr;
}

void MatchMemo::Put(Source source, std::string_view message, const std::vector<int>& matched) {
  if (message.empty() || message.size() > kMaxMessageBytes) return;
  if (slots_.empty()) slots_.resize(kSlots);
  Slot& slot = slots_[SlotOf(source, message)];
  slot.source = source;
  slot.message = message;
  slot.matched = matched;
}

}  // namespace engine
