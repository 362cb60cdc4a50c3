// SPDX-License-Identifier: Apache-2.0
// A small HTTP/1.1 server for probes and metrics: GET only, one request a connection, everything
// that a client can make it keep is bounded. The only thing that knows the library's server side.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
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
  std::string address;  // ":8081" (all interfaces), "127.0.0.1:8081", "[::1]:8081"; port 0: any
  // Called for each connection, so that a renewed certificate is used; unset: plain HTTP. When it
  // throws or gives what cannot be used (a file half written), the one before stays in use.
  std::function<CertificatePair()> certificate;
  // For the handshake and the request's head, and again for the answer to be taken.
  std::chrono::milliseconds timeout = std::chrono::seconds(10);
};

class HttpServer {
 public:
  // A request's line, and its headers together, may be this large; more gets 431. Bodies are not
  // read.
  static constexpr std::size_t kMaxHeadBytes = 16 * 1024;
  // More connections at the same time are closed unanswered.
  static constexpr int kMaxConnections = 128;

  virtual ~HttpServer() = default;  // stops; waits for a running `handle`
  virtual std::uint16_t port() const = 0;
};

// Listens when it returns. `handle` runs on one thread of the server's own, one request at a time,
// and may block. Throws std::runtime_error that names the address, or says why the certificate
// cannot be used.
std::unique_ptr<HttpServer> StartHttpServer(
    const ServerOptions& options, std::function<ServerResponse(const ServerRequest&)> handle);

}  // namespace kube
