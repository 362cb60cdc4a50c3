// SPDX-License-Identifier: Apache-2.0
// What a call to the API server can end in. The only exception that leaves this library's calls.
#pragma once

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace kube {

enum class ErrorReason {
  kNotFound,
  kAlreadyExists,
  kConflict,
  kGone,  // 410: expired resource version or continue token
  kInvalid,
  kForbidden,
  kUnauthorized,
  kBadRequest,
  kTooManyRequests,
  kTimeout,      // a deadline, ours or the server's
  kUnavailable,  // no connection, 502, 503, 504, cut answer
  kCancelled,    // the caller's stop token
  kInternal,     // 500
  kDecode,       // an answer that is not what it should be
  kUnknown,
};

// One field that the server refused (Status.details.causes).
struct ErrorCause {
  std::string field;
  std::string reason;
  std::string message;
};

// what() names verb, resource, object, HTTP status and the server's message:
// `patch nodes/n1: 403 Forbidden: User "..." cannot patch resource "nodes" ...`.
class ApiError : public std::runtime_error {
 public:
  ApiError(ErrorReason why, int status, const std::string& what)
      : std::runtime_error(what), reason(why), http_status(status) {}

  ErrorReason reason;
  int http_status;  // 0: no answer came
  std::string verb;
  std::string resource;
  std::string message;  // the server's own words
  std::vector<ErrorCause> causes;
  std::optional<std::chrono::seconds> retry_after;

  bool IsNotFound() const { return reason == ErrorReason::kNotFound; }
  bool IsConflict() const { return reason == ErrorReason::kConflict; }
  bool IsAlreadyExists() const { return reason == ErrorReason::kAlreadyExists; }
  bool IsForbidden() const { return reason == ErrorReason::kForbidden; }
  bool IsCancelled() const { return reason == ErrorReason::kCancelled; }
};

}  // namespace kube
