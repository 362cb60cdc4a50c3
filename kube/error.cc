// SPDX-License-Identifier: Apache-2.0
#include "kube/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "kube/error_status.h"
#include "kube/object.h"

namespace kube {
namespace {

constexpr std::size_t kQuotedBytes = 256;

ErrorReason ReasonOf(int http_status, const std::string& reason) {
  // Status.reason says more than the code where one code has several meanings.
  if (reason == "AlreadyExists") return ErrorReason::kAlreadyExists;
  if (reason == "Conflict") return ErrorReason::kConflict;
  if (reason == "Expired" || reason == "Gone") return ErrorReason::kGone;
  if (reason == "Timeout" || reason == "ServerTimeout") return ErrorReason::kTimeout;
  switch (http_status) {
    case 400:
      return ErrorReason::kBadRequest;
    case 401:
      return ErrorReason::kUnauthorized;
    case 403:
      return ErrorReason::kForbidden;
    case 404:
      return ErrorReason::kNotFound;
    case 409:
      return ErrorReason::kConflict;
    case 410:
      return ErrorReason::kGone;
    case 422:
      return ErrorReason::kInvalid;
    case 429:
      return ErrorReason::kTooManyRequests;
    case 500:
      return ErrorReason::kInternal;
    case 502:
    case 503:
      return ErrorReason::kUnavailable;
    case 504:
      return ErrorReason::kTimeout;
    default:
      return ErrorReason::kUnknown;
  }
}

std::string Quote(std::string_view body) {
  std::string text(body.substr(0, kQuotedBytes));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return body.size() > kQuotedBytes ? text + "..." : text;
}

std::string CallText(const CallName& call) {
  std::string text = call.verb + ' ' + call.resource;
  if (!call.object.empty()) text += ' ' + call.object;
  return text;
}

}  // namespace

std::string_view ToString(ErrorReason reason) {
  switch (reason) {
    case ErrorReason::kNotFound:
      return "NotFound";
    case ErrorReason::kAlreadyExists:
      return "AlreadyExists";
    case ErrorReason::kConflict:
      return "Conflict";
    case ErrorReason::kGone:
      return "Gone";
    case ErrorReason::kInvalid:
      return "Invalid";
    case ErrorReason::kForbidden:
      return "Forbidden";
    case ErrorReason::kUnauthorized:
      return "Unauthorized";
    case ErrorReason::kBadRequest:
      return "BadRequest";
    case ErrorReason::kTooManyRequests:
      return "TooManyRequests";
    case ErrorReason::kTimeout:
      return "Timeout";
    case ErrorReason::kUnavailable:
      return "Unavailable";
    case ErrorReason::kCancelled:
      return "Cancelled";
    case ErrorReason::kInternal:
      return "Internal";
    case ErrorReason::kDecode:
      return "Decode";
    case ErrorReason::kUnknown:
      return "Unknown";
  }
  return "Unknown";
}

ApiError ErrorFromAnswer(const CallName& call, int http_status, std::string_view body,
                         std::optional<std::chrono::seconds> retry_after) {
  const Json status = Json::parse(body, nullptr, /*allow_exceptions=*/false);
  const bool is_status = status.is_object() && StringAt(status, "/kind") == "Status";
  std::string message = is_status ? StringAt(status, "/message") : Quote(body);
  const ErrorReason reason =
      ReasonOf(http_status, is_status ? StringAt(status, "/reason") : std::string());
  ApiError error(
      reason, http_status,
      fmt::format("{}: {} {}: {}", CallText(call), http_status, ToString(reason), message));
  error.verb = call.verb;
  error.resource = call.resource;
  error.message = std::move(message);
  error.retry_after = retry_after;
  if (is_status) {
    const auto causes = status.value(Json::json_pointer("/details/causes"), Json::array());
    for (const Json& cause : causes) {
      error.causes.push_back(
          {StringAt(cause, "/field"), StringAt(cause, "/reason"), StringAt(cause, "/message")});
    }
  }
  return error;
}

ApiError MakeError(const CallName& call, ErrorReason reason, const std::string& message) {
  ApiError error(reason, 0, fmt::format("{}: {}: {}", CallText(call), ToString(reason), message));
  error.verb = call.verb;
  error.resource = call.resource;
  error.message = message;
  return error;
}

}  // namespace kube
