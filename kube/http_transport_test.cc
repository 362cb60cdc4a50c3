// SPDX-License-Identifier: Apache-2.0
// Against a server on the loopback that sends what it is told: bytes that a real API server can't
// be made to send.
#include "kube/http_transport.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

namespace kube {
namespace {

using std::chrono::milliseconds;

// Each connection is handed to `serve` with its number, in a thread of its own.
class RawServer {
 public:
  explicit RawServer(std::function<void(int fd, int number)> serve) : serve_(std::move(serve)) {
    listener_ = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    socklen_t size = sizeof address;
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    listen(listener_, 16);
    accepting_ = std::jthread([this] {
      for (int number = 0;; ++number) {
        const int fd = accept(listener_, nullptr, nullptr);
        if (fd < 0) return;
        connections_.emplace_back([this, fd, number] {
          serve_(fd, number);
          shutdown(fd, SHUT_RDWR);
          close(fd);
        });
      }
    });
  }
  ~RawServer() {
    shutdown(listener_, SHUT_RDWR);
    close(listener_);
  }
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

 private:
  const std::function<void(int, int)> serve_;
  int listener_ = -1;
  int port_ = 0;
  std::vector<std::jthread> connections_;
  std::jthread accepting_;  // ends first
};

// Reads one request's head; empty when the client has gone.
std::string ReadHead(int fd) {
  std::string head;
  char c = 0;
  while (head.find("\r\n\r\n") == std::string::npos) {
    if (recv(fd, &c, 1, 0) != 1) return {};
    head += c;
  }
  return head;
}

bool Send(int fd, const std::string& bytes) {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t n = send(fd, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (n <= 0) return false;
    sent += static_cast<std::size_t>(n);
  }
  return true;
}

const std::string kOk = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";

Config ConfigFor(const RawServer& server) {
  Config config;
  config.server = server.url();
  config.token = "secret";
  return config;
}

TEST(HttpTransportTest, SendsCredentialsAndReadsTheBody) {
  std::string head;
  RawServer server([&](int fd, int) {
    head = ReadHead(fd);
    Send(fd, kOk + "Content-Length: 2\r\n\r\n{}");
  });
  const auto transport = NewHttpTransport(ConfigFor(server));
  std::string body;
  const HttpHead answer = transport->Send({.method = "GET", .path_and_query = "/api?x=a%2Fb"},
                                          milliseconds(5'000), 100, {}, &body);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(body, "{}");
  EXPECT_NE(head.find("GET /api?x=a%2Fb HTTP/1.1\r\n"), std::string::npos) << head;
  EXPECT_NE(head.find("Authorization:Bearer secret\r\n"), std::string::npos) << head;
}

TEST(HttpTransportTest, DeadlinesStopsAndLimitsEndACall) {
  RawServer server([](int fd, int) {
    const std::string head = ReadHead(fd);
    if (head.find("/large") != std::string::npos) {
      Send(fd, kOk + "Content-Length: 1000000\r\n\r\n" + std::string(1'000'000, 'x'));
      return;
    }
    char c = 0;
    recv(fd, &c, 1, 0);  // says nothing until the client goes
  });
  const auto transport = NewHttpTransport(ConfigFor(server));
  std::string body;
  const auto kind = [&](const std::string& path, milliseconds deadline,
                        const std::stop_token& stop) {
    try {
      transport->Send({.method = "GET", .path_and_query = path}, deadline, 1'000, stop, &body);
    } catch (const TransportError& error) {
      return error.kind;
    }
    ADD_FAILURE() << "no error";
    return TransportError::Kind::kUnavailable;
  };
  EXPECT_EQ(kind("/quiet", milliseconds(50), {}), TransportError::Kind::kTimeout);
  EXPECT_EQ(kind("/large", milliseconds(5'000), {}), TransportError::Kind::kTooLarge);
  std::stop_source stop;
  std::jthread later([&] {
    std::this_thread::sleep_for(milliseconds(50));
    stop.request_stop();
  });
  EXPECT_EQ(kind("/quiet", milliseconds(60'000), stop.get_token()),
            TransportError::Kind::kCancelled);
}

TEST(HttpTransportTest, ACutAnswerIsAnError) {
  RawServer server([](int fd, int) {
    ReadHead(fd);
    Send(fd, kOk + "Content-Length: 100\r\n\r\nonly this");
  });
  const auto transport = NewHttpTransport(ConfigFor(server));
  std::string body;
  EXPECT_THROW(transport->Send({.method = "GET", .path_and_query = "/"}, milliseconds(5'000), 1'000,
                               {}, &body),
               TransportError);
}

TEST(HttpTransportTest, AReaderThatIsSlowSlowsTheServer) {
  std::atomic<std::size_t> sent{0};
  RawServer server([&](int fd, int) {
    ReadHead(fd);
    Send(fd, kOk + "Transfer-Encoding: chunked\r\n\r\n");
    const std::string chunk = "10000\r\n" + std::string(0x10000, 'x') + "\r\n";
    for (int i = 0; i < 1'000 && Send(fd, chunk); ++i) sent += 0x10000;
    Send(fd, "0\r\n\r\n");
  });
  const auto transport = NewHttpTransport(ConfigFor(server));
  HttpHead head;
  const auto stream = transport->Open({.method = "GET", .path_and_query = "/"}, milliseconds(5'000),
                                      {}, "get log", &head);
  std::this_thread::sleep_for(milliseconds(300));
  // What the pipe, the library and the two sockets' buffers hold.
  EXPECT_LT(sent.load(), 24U << 20);
  std::string buffer(1 << 16, '\0');
  std::size_t read = 0;
  while (const std::size_t size = stream->Read(buffer.data(), buffer.size(), milliseconds(5'000))) {
    read += size;
  }
  EXPECT_EQ(read, 1'000U * 0x10000);
}

TEST(HttpTransportTest, LeavingAStreamEndsTheTransfer) {
  std::atomic<bool> gone{false};
  RawServer server([&](int fd, int) {
    ReadHead(fd);
    Send(fd, kOk + "Transfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n");
    char c = 0;
    gone = recv(fd, &c, 1, 0) <= 0;
  });
  const auto transport = NewHttpTransport(ConfigFor(server));
  HttpHead head;
  {
    const auto stream = transport->Open({.method = "GET", .path_and_query = "/"},
                                        milliseconds(5'000), {}, "watch", &head);
    char buffer[16];
    EXPECT_EQ(stream->Read(buffer, sizeof buffer, milliseconds(5'000)), 5U);
    EXPECT_THROW(stream->Read(buffer, sizeof buffer, milliseconds(20)), ApiError);
  }
  for (int i = 0; i < 500 && !gone; ++i) std::this_thread::sleep_for(milliseconds(10));
  EXPECT_TRUE(gone);
}

TEST(ClientTest, AReadIsTriedAgainOnAStaleConnectionAndAWriteIsNot) {
  std::atomic<int> requests{0};
  RawServer server([&](int fd, int number) {
    ++requests;
    ReadHead(fd);
    if (number % 2 == 0) return;  // closes without an answer
    Send(fd, kOk + "Content-Length: 2\r\nConnection: close\r\n\r\n{}");
  });
  const auto client = NewHttpClient(ConfigFor(server));
  const Resource things{"example.dev", "v1", "things", "Thing", true};
  EXPECT_NO_THROW(client->Get(things, {"ns", "a"}));
  EXPECT_EQ(requests, 2);
  EXPECT_THROW(client->Create(things, {{"metadata", {{"namespace", "ns"}, {"name", "a"}}}}),
               ApiError);
  EXPECT_EQ(requests, 3);
}

TEST(ClientTest, RetryAfterIsHonouredWithinTheDeadline) {
  std::atomic<int> requests{0};
  RawServer server([&](int fd, int) {
    while (!ReadHead(fd).empty()) {
      if (requests++ == 0) {
        Send(fd, "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n");
      } else {
        Send(fd, kOk + "Content-Length: 2\r\n\r\n{}");
      }
    }
  });
  const auto client = NewHttpClient(ConfigFor(server));
  const Resource things{"example.dev", "v1", "things", "Thing", true};
  const auto began = std::chrono::steady_clock::now();
  client->Get(things, {"ns", "a"});
  EXPECT_GE(std::chrono::steady_clock::now() - began, std::chrono::seconds(1));
  requests = 0;
  try {
    client->Get(things, {"ns", "a"}, {.deadline = milliseconds(500)});
    FAIL() << "it waited beyond the deadline";
  } catch (const ApiError& error) {
    EXPECT_EQ(error.reason, ErrorReason::kTooManyRequests);
  }
}

}  // namespace
}  // namespace kube
