// SPDX-License-Identifier: Apache-2.0
// Who may read the metrics: whoever the cluster's RBAC lets `get` the path /metrics.
#pragma once

#include <chrono>
#include <map>
#include <string>

#include "kube/client.h"

namespace kube {

// Used by one thread. Asks the API server (TokenReview, then SubjectAccessReview) and remembers an
// answer for a minute.
class MetricsAccess {
 public:
  explicit MetricsAccess(Client& client) : client_(client) {}

  // 200, or 401, 403, 503 with `problem` set. `authorization` is the header.
  int Check(const std::string& authorization, std::string* problem);

 private:
  struct Answer {
    int status = 0;
    std::string problem;
    std::chrono::steady_clock::time_point asked;
  };
  Answer Ask(const std::string& token);

  Client& client_;
  std::map<std::string, Answer> known_;  // by token
};

}  // namespace kube
