// SPDX-License-Identifier: Apache-2.0
// For tests: a client of an HTTP server on this machine that hides nothing.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <string>

namespace kube {

class Connection {
 public:
  explicit Connection(std::uint16_t port) : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to.sin_port = htons(port);
    const timeval limit{.tv_sec = 10, .tv_usec = 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    connected_ = connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
  }
  ~Connection() { close(fd_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  int fd() const { return fd_; }
  bool connected() const { return connected_; }
  bool Send(const std::string& text) {
    return send(fd_, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
  }
  std::string ReadToEnd() {
    std::string text;
    char buffer[4096];
    ssize_t size = 0;
    while ((size = recv(fd_, buffer, sizeof buffer, 0)) > 0) {
      text.append(buffer, static_cast<std::size_t>(size));
    }
    return text;
  }

 private:
  const int fd_;
  bool connected_ = false;
};

// The whole answer; empty when there is none.
inline std::string Ask(std::uint16_t port, const std::string& request) {
  Connection connection(port);
  connection.Send(request);
  return connection.ReadToEnd();
}

inline std::string StatusOf(const std::string& answer) { return answer.substr(0, 12); }

struct TlsAnswer {
  std::string text;     // "no handshake"
  std::string subject;  // of the certificate that was shown, which nobody verifies
};

inline TlsAnswer AskOverTls(std::uint16_t port, const std::string& request, int max_version = 0) {
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_client_method()),
                                                                  SSL_CTX_free);
  if (max_version != 0) SSL_CTX_set_max_proto_version(context.get(), max_version);
  const std::unique_ptr<SSL, decltype(&SSL_free)> tls(SSL_new(context.get()), SSL_free);
  Connection connection(port);
  SSL_set_fd(tls.get(), connection.fd());
  if (SSL_connect(tls.get()) != 1) return {"no handshake", {}};
  SSL_write(tls.get(), request.data(), static_cast<int>(request.size()));
  TlsAnswer answer;
  char buffer[4096];
  int size = 0;
  while ((size = SSL_read(tls.get(), buffer, sizeof buffer)) > 0) {
    answer.text.append(buffer, static_cast<std::size_t>(size));
  }
  const std::unique_ptr<X509, decltype(&X509_free)> shown(SSL_get1_peer_certificate(tls.get()),
                                                          X509_free);
  char name[256];
  X509_NAME_oneline(X509_get_subject_name(shown.get()), name, sizeof name);
  answer.subject = name;
  return answer;
}

}  // namespace kube
