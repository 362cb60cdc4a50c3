// SPDX-License-Identifier: Apache-2.0
// A small HTTP server for probes and metrics. The only thing that knows the HTTP library's server.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "kube/self_signed.h"

namespace kube {

struct ServerRequest {
  std::string path;           // "/readyz"
  std::string query;          // "verbose"
  std::string authorization;  // the header
};

struct ServerResponse {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
};

struct ServerOptions {
  std::string address;  // ":8081", "127.0.0.1:8081"
  // Called for each connection, so that a renewed certificate is used; unset: plain HTTP.
  std::function<CertificatePair()> certificate;
};

// Answers GET only. `handle` runs on one thread of the server's own and may block; when 64 requests
// wait for it, more get 503.
class HttpServer {
 public:
  virtual ~HttpServer() = default;  // stops
};

// Listens when it returns. Throws std::runtime_error that names the address.
std::unique_ptr<HttpServer> StartHttpServer(
    const ServerOptions& options, std::function<ServerResponse(const ServerRequest&)> handle);

}  // namespace kube
