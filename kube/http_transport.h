// SPDX-License-Identifier: Apache-2.0
// HTTP to one server. The only thing that knows the HTTP library (cpprestsdk), so that it can be
// replaced.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "kube/client.h"
#include "kube/config.h"

namespace kube {

struct HttpRequest {
  std::string method;          // "GET"
  std::string path_and_query;  // below the server's root, already encoded
  std::string content_type;    // of the body
  std::string body;
  std::string accept = "application/json";
};

struct HttpHead {
  int status = 0;
  std::string content_type;
  std::optional<std::chrono::seconds> retry_after;
};

// What went wrong before or while an answer came. Not an ApiError yet: the caller knows the verb.
struct TransportError {
  enum class Kind { kTimeout, kUnavailable, kCancelled, kTooLarge };
  Kind kind;
  std::string message;
  bool answered = false;  // the head was there already
};

// Thread-safe. Credentials are read again when their files change.
class HttpTransport {
 public:
  virtual ~HttpTransport() = default;

  // The whole answer. Throws TransportError.
  virtual HttpHead Send(const HttpRequest& request, std::chrono::milliseconds deadline,
                        std::size_t max_body, std::stop_token stop, std::string* body) = 0;

  // The head, and the body as a stream that throws ApiError named after `what`. `deadline` is for
  // the head. Throws TransportError.
  virtual std::unique_ptr<ByteStream> Open(const HttpRequest& request,
                                           std::chrono::milliseconds deadline, std::stop_token stop,
                                           const std::string& what, HttpHead* head) = 0;

  virtual const std::string& host() const = 0;
};

// Throws ApiError(kUnknown) when certificates or keys cannot be used.
std::unique_ptr<HttpTransport> NewHttpTransport(const Config& config);

}  // namespace kube
