// SPDX-License-Identifier: Apache-2.0
// How long the reading of evidence waits for what.
#pragma once

#include <chrono>

namespace controllers {

struct LogTiming {
  // After this long without a line, what was there has been read, and the log is merely followed.
  std::chrono::milliseconds idle{500};
  // The same as the last word, for a container that goes on although nobody waits for it any more.
  std::chrono::milliseconds sealed_quiet{1000};
  // A stream of a container that has ended ends by itself; this is for one that hangs.
  std::chrono::milliseconds ended_quiet{10'000};
  std::chrono::milliseconds first_retry{200};
  std::chrono::milliseconds last_retry{5000};
  // How long the API server, or the node behind it, may be away once the workload has ended.
  std::chrono::milliseconds server_away{60'000};
  std::chrono::milliseconds node_away{20'000};
  // How long to wait, after a stream has ended, for the pod's status to say that the run has.
  std::chrono::milliseconds end_wait{2000};
};

}  // namespace controllers
