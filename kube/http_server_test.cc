// SPDX-License-Identifier: Apache-2.0
// Over real sockets: what a scraper gets, and what somebody gets who wants to hurt.
#include "kube/http_server.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "kube/http_ask.h"

namespace kube {
namespace {

using std::chrono::milliseconds;

ServerResponse Echo(const ServerRequest& request) {
  return {.body = request.path + '|' + request.query + '|' + request.authorization};
}

TEST(HttpServerTest, AnswersGetAndNothingElse) {
  const auto server = StartHttpServer({.address = "127.0.0.1:0", .certificate = {}}, Echo);
  const std::string answer = Ask(server->port(),
                                 "GET /readyz?verbose=1 HTTP/1.1\r\nHost: a\r\n"
                                 "authorization: Bearer x\r\n\r\n");
  EXPECT_EQ(StatusOf(answer), "HTTP/1.1 200");
  EXPECT_NE(answer.find("\r\n\r\n/readyz|verbose=1|Bearer x"), std::string::npos) << answer;
  EXPECT_NE(answer.find("Connection: close"), std::string::npos) << answer;
  EXPECT_EQ(StatusOf(Ask(server->port(), "POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\nx")),
            "HTTP/1.1 405");
  EXPECT_EQ(StatusOf(Ask(server->port(), "\x16\x03\x01 what?\r\n\r\n")), "HTTP/1.1 400");
}

TEST(HttpServerTest, AHandlerThatThrowsIsAnInternalError) {
  const auto server = StartHttpServer(
      {.address = "127.0.0.1:0", .certificate = {}},
      [](const ServerRequest&) -> ServerResponse { throw std::runtime_error("x"); });
  EXPECT_EQ(StatusOf(Ask(server->port(), "GET / HTTP/1.1\r\n\r\n")), "HTTP/1.1 500");
}

TEST(HttpServerTest, ALargeHeadIsRefusedAndABodyNotRead) {
  const auto server = StartHttpServer({.address = "127.0.0.1:0", .certificate = {}}, Echo);
  // Exactly what is read: bytes left unread would reset the connection before the answer is seen.
  std::string head = "X: ";
  head.resize(HttpServer::kMaxHeadBytes, 'x');
  head.insert(0, "GET / HTTP/1.1\r\n");
  EXPECT_EQ(StatusOf(Ask(server->port(), head)), "HTTP/1.1 431");
  Connection connection(server->port());
  connection.Send("POST / HTTP/1.1\r\nContent-Length: 1000000000\r\n\r\n");
  const std::string megabyte(1 << 20, 'x');
  int sent = 0;
  while (sent < 64 && connection.Send(megabyte)) ++sent;
  EXPECT_LT(sent, 64) << "somebody reads it";
}

TEST(HttpServerTest, WhoIsSlowIsCutAndNobodyWaitsForThem) {
  const auto server = StartHttpServer(
      {.address = "127.0.0.1:0", .certificate = {}, .timeout = milliseconds(300)}, Echo);
  std::vector<std::unique_ptr<Connection>> idle;
  for (int i = 0; i < 50; ++i) idle.push_back(std::make_unique<Connection>(server->port()));
  for (const auto& connection : idle) connection->Send("GET /");
  EXPECT_EQ(StatusOf(Ask(server->port(), "GET / HTTP/1.1\r\n\r\n")), "HTTP/1.1 200");
  const auto began = std::chrono::steady_clock::now();
  for (const auto& connection : idle) EXPECT_EQ(connection->ReadToEnd(), "");
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(5));
}

TEST(HttpServerTest, ConnectionsAreCountedAndFreed) {
  const auto server = StartHttpServer(
      {.address = "127.0.0.1:0", .certificate = {}, .timeout = milliseconds(1'000)}, Echo);
  std::vector<std::unique_ptr<Connection>> idle;
  for (int i = 0; i < HttpServer::kMaxConnections; ++i) {
    idle.push_back(std::make_unique<Connection>(server->port()));
  }
  EXPECT_EQ(Ask(server->port(), "GET / HTTP/1.1\r\n\r\n"), "");
  idle.clear();
  std::string status;
  for (int i = 0; i < 100 && status.empty(); ++i) {
    status = StatusOf(Ask(server->port(), "GET / HTTP/1.1\r\n\r\n"));
    if (status.empty()) std::this_thread::sleep_for(milliseconds(20));
  }
  EXPECT_EQ(status, "HTTP/1.1 200");
}

TEST(HttpServerTest, StopsWhileRequestsWait) {
  std::atomic<int> handled{0};
  auto server = StartHttpServer({.address = "127.0.0.1:0", .certificate = {}},
                                [&](const ServerRequest&) -> ServerResponse {
                                  ++handled;
                                  std::this_thread::sleep_for(milliseconds(100));
                                  return {};
                                });
  std::vector<std::unique_ptr<Connection>> waiting;
  for (int i = 0; i < 30; ++i) {
    waiting.push_back(std::make_unique<Connection>(server->port()));
    waiting.back()->Send("GET / HTTP/1.1\r\n\r\n");
  }
  while (handled == 0) std::this_thread::yield();
  const auto began = std::chrono::steady_clock::now();
  server.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - began, milliseconds(1'500));
  EXPECT_LT(handled, 10);
}

TEST(HttpServerTest, AnAddressThatIsNoneOrTakenIsNamed) {
  const auto message = [](const std::string& address) -> std::string {
    try {
      StartHttpServer({.address = address, .certificate = {}}, Echo);
      return "it listens";
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  };
  EXPECT_EQ(message("8081"), "address \"8081\": is not IP:PORT or :PORT");
  EXPECT_EQ(message(":99999"), "address \":99999\": is not IP:PORT or :PORT");
  EXPECT_EQ(message("nowhere:1"), "address \"nowhere:1\": \"nowhere\" is no IP address");
  const auto server = StartHttpServer({.address = ":0", .certificate = {}}, Echo);
  const std::string taken = "127.0.0.1:" + std::to_string(server->port());
  EXPECT_EQ(message(taken), "cannot listen on " + taken + ": Address already in use");
}

TEST(HttpServerTest, ARenewedCertificateIsUsedAndABrokenOneIsNot) {
  std::mutex mutex;
  CertificatePair pair = MakeSelfSigned("one");
  const auto server = StartHttpServer({.address = "127.0.0.1:0",
                                       .certificate =
                                           [&] {
                                             const std::lock_guard lock(mutex);
                                             return pair;
                                           }},
                                      Echo);
  const std::string request = "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n";
  const TlsAnswer first = AskOverTls(server->port(), request);
  EXPECT_EQ(StatusOf(first.text), "HTTP/1.1 200");
  EXPECT_EQ(first.subject, "/CN=one");
  const CertificatePair two = MakeSelfSigned("two");
  {
    const std::lock_guard lock(mutex);
    pair = {two.certificate, pair.key};  // half written
  }
  EXPECT_EQ(AskOverTls(server->port(), request).subject, "/CN=one");
  {
    const std::lock_guard lock(mutex);
    pair = two;
  }
  EXPECT_EQ(AskOverTls(server->port(), request).subject, "/CN=two");
  EXPECT_EQ(AskOverTls(server->port(), request, TLS1_1_VERSION).text, "no handshake");
  EXPECT_EQ(Ask(server->port(), request).find("200"), std::string::npos);
}

TEST(HttpServerTest, ABadCertificateIsAnErrorAtTheStart) {
  EXPECT_THROW(StartHttpServer({.address = "127.0.0.1:0",
                                .certificate =
                                    [] {
                                      return CertificatePair{"no", "certificate"};
                                    }},
                               Echo),
               std::runtime_error);
}

}  // namespace
}  // namespace kube
