// SPDX-License-Identifier: Apache-2.0
#include "kube/retry_limiter.h"

#include <algorithm>
#include <cmath>

namespace kube {

RetryLimiter::RetryLimiter(const WorkQueueOptions& options)
    : options_(options), tokens_(options.overall_burst) {}

std::chrono::milliseconds RetryLimiter::DelayOf(const Request& item, Time now) {
  const int failures = failures_[item]++;
  const auto base = static_cast<double>(options_.base_delay.count());
  const auto most = static_cast<double>(options_.max_delay.count());
  const double own = std::min(most, base * std::pow(2.0, std::min(failures, 60)));

  if (filled_) {
    const double seconds = std::chrono::duration<double>(now - *filled_).count();
    tokens_ =
        std::min<double>(options_.overall_burst, tokens_ + seconds * options_.overall_per_second);
  }
  filled_ = now;
  tokens_ -= 1;
  const double shared = tokens_ < 0 ? -tokens_ / options_.overall_per_second * 1000 : 0;
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(std::max(own, shared))));
}

int RetryLimiter::Failures(const Request& item) const {
  const auto found = failures_.find(item);
  return found == failures_.end() ? 0 : found->second;
}

}  // namespace kube
