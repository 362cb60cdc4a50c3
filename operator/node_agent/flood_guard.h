// SPDX-License-Identifier: Apache-2.0
// Keeps a flooding kernel from pushing what matters out of the agent's pod log, of which a kubelet
// keeps only the last 10 MiB within reach.
#pragma once

#include <cstdint>

#include "engine/time.h"

namespace app {

// Two token buckets, so that chatter (info, debug) is cut long before errors are. Used by one
// thread.
class FloodGuard {
 public:
  // Whether a record of that priority may be printed at `now`.
  bool Admit(int priority, engine::Time now);
  // How many were refused since the last call.
  std::uint64_t TakeDropped();

 private:
  struct Bucket {
    double per_second;
    double burst;
    double tokens;
    bool started = false;
    engine::Time last{};
    bool Take(engine::Time now);
  };
  Bucket errors_{.per_second = 500, .burst = 10'000, .tokens = 10'000};  // warning and worse
  Bucket chatter_{.per_second = 50, .burst = 5'000, .tokens = 5'000};
  std::uint64_t dropped_ = 0;
};

}  // namespace app
