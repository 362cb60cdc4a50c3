// SPDX-License-Identifier: Apache-2.0
// From an answer of the API server to the error that callers catch.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "kube/error.h"

namespace kube {

// What the call was, for the message.
struct CallName {
  std::string verb;      // "patch"
  std::string resource;  // "nodes"
  std::string object;    // "ns/name"; empty for lists
};

// `body` is a Status object, or anything else (a proxy's page), of which the start is quoted.
ApiError ErrorFromAnswer(const CallName& call, int http_status, std::string_view body,
                         std::optional<std::chrono::seconds> retry_after);

// Where no answer came.
ApiError MakeError(const CallName& call, ErrorReason reason, const std::string& message);

std::string_view ToString(ErrorReason reason);

}  // namespace kube
