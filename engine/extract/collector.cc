// SPDX-License-Identifier: Apache-2.0
#include "engine/extract/collector.h"

#include <fmt/format.h>

namespace engine {
namespace {

constexpr std::size_t kMaxValues = 8;

}  // namespace

bool CollectedFact::Before(const Value& a, const Value& b) {
  if (Earlier(a.at, b.at)) return true;
  if (Earlier(b.at, a.at)) return false;
  return a.text < b.text;
}

void CollectedFact::Add(const Event& at, const std::string& value) {
  const Value found{at, value};
  if (!first_ || Before(found, *first_)) first_ = found;
  if (!last_ || Before(*last_, found)) last_ = found;
  ++count_;
  all_.insert(value);
  if (all_.size() > kMaxValues) all_.erase(std::prev(all_.end()));
}

void CollectedFact::Merge(const CollectedFact& other) {
  if (other.first_ && (!first_ || Before(*other.first_, *first_))) first_ = other.first_;
  if (other.last_ && (!last_ || Before(*last_, *other.last_))) last_ = other.last_;
  count_ += other.count_;
  all_.insert(other.all_.begin(), other.all_.end());
  while (all_.size() > kMaxValues) all_.erase(std::prev(all_.end()));
}

Fact CollectedFact::Report(const CollectorRule& rule) const {
  Fact fact{.name = rule.name, .value = {}, .state = Fact::State::kNotFound};
  if (!first_) return fact;
  fact.state = Fact::State::kFound;
  switch (rule.take) {
    case CollectorRule::Take::kFirst:
      fact.value = first_->text;
      break;
    case CollectorRule::Take::kLast:
      fact.value = last_->text;
      break;
    case CollectorRule::Take::kCount:
      fact.value = std::to_string(count_);
      break;
    case CollectorRule::Take::kAll:
      fact.value = fmt::format("{}", fmt::join(all_, ", "));
      break;
  }
  return fact;
}

}  // namespace engine
