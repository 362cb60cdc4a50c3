// SPDX-License-Identifier: Apache-2.0
// Boost.Beast, since the client library's listener keeps heads and bodies of any size in memory and
// has no way to bound them. One thread carries all connections, another one answers.
#include "kube/http_server.h"

#include <fmt/format.h>

#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <optional>
#include <stdexcept>
#include <thread>
#include <type_traits>

#include "kube/log.h"

namespace kube {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using Plain = beast::tcp_stream;
using Tls = beast::ssl_stream<beast::tcp_stream>;
using Handle = std::function<ServerResponse(const ServerRequest&)>;

// When no file descriptor is left, accepting at once again would only burn time.
constexpr std::chrono::milliseconds kAcceptAgain{100};

// What connections need of their server, which outlives them.
struct Shared {
  const Handle handle;
  const std::chrono::milliseconds timeout;
  int connections = 0;                // the carrying thread's
  std::atomic<bool> stopping{false};  // what waits for an answer doesn't get one
  asio::thread_pool answering{1};
};

// One connection, from its handshake to its end. Owned by its pending operation.
template <typename Stream>
class Session : public std::enable_shared_from_this<Session<Stream>> {
 public:
  template <typename... Arguments>
  explicit Session(Shared& shared, Arguments&&... arguments)
      : shared_(shared), stream_(std::forward<Arguments>(arguments)...) {
    ++shared_.connections;
    parser_.header_limit(HttpServer::kMaxHeadBytes);
  }
  ~Session() { --shared_.connections; }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void Start() {
    beast::get_lowest_layer(stream_).expires_after(shared_.timeout);
    if constexpr (std::is_same_v<Stream, Tls>) {
      stream_.async_handshake(asio::ssl::stream_base::server,
                              [self = this->shared_from_this()](const beast::error_code& error) {
                                if (!error) self->ReadHead();
                              });
    } else {
      ReadHead();
    }
  }

 private:
  void ReadHead() {
    http::async_read_header(
        stream_, buffer_, parser_,
        [self = this->shared_from_this()](const beast::error_code& error, std::size_t) {
          self->TakeHead(error);
        });
  }

  void TakeHead(const beast::error_code& error) {
    if (error == http::error::header_limit || error == http::error::buffer_overflow) {
      Write({.status = 431, .body = "the request's head is too large\n"});
    } else if (error.category() == make_error_code(http::error::bad_method).category() &&
               error != http::error::end_of_stream && error != http::error::partial_message) {
      Write({.status = 400, .body = "this is not HTTP/1.1\n"});
    } else if (error) {
      return;  // gone, or too slow
    } else if (parser_.get().method() != http::verb::get) {
      Write({.status = 405, .body = "only GET\n"});
    } else {
      Answer();
    }
  }

  void Answer() {
    const auto& head = parser_.get();
    const std::string target(head.target());
    const std::size_t mark = target.find('?');
    ServerRequest request{
        .path = target.substr(0, mark),
        .query = mark == std::string::npos ? std::string() : target.substr(mark + 1),
        .authorization = std::string(head[http::field::authorization])};
    // The time of an answer is the handler's own affair.
    beast::get_lowest_layer(stream_).expires_never();
    asio::post(shared_.answering, [self = this->shared_from_this(), request]() mutable {
      if (self->shared_.stopping) return;
      ServerResponse response;
      try {
        response = self->shared_.handle(request);
      } catch (const std::exception& error) {
        Log(LogLevel::kError, "a request was not answered",
            {{"path", request.path}, {"error", error.what()}});
        response = {.status = 500, .body = "internal error; the log says which\n"};
      }
      // Sessions begin and end on the thread that carries them.
      auto* const session = self.get();
      asio::post(session->stream_.get_executor(),
                 [self = std::move(self), response = std::move(response)]() mutable {
                   self->Write(std::move(response));
                 });
    });
  }

  void Write(ServerResponse response) {
    answer_.result(static_cast<unsigned>(response.status));
    answer_.version(11);
    answer_.keep_alive(false);
    answer_.set(http::field::content_type, response.content_type);
    answer_.set("X-Content-Type-Options", "nosniff");
    answer_.set(http::field::cache_control, "no-store");
    answer_.body() = std::move(response.body);
    answer_.prepare_payload();
    beast::get_lowest_layer(stream_).expires_after(shared_.timeout);
    http::async_write(
        stream_, answer_,
        [self = this->shared_from_this()](const beast::error_code& error, std::size_t) {
          if (!error) self->End();
        });
  }

  void End() {
    if constexpr (std::is_same_v<Stream, Tls>) {
      // What the client answers, or whether it does, makes no difference.
      stream_.async_shutdown([self = this->shared_from_this()](const beast::error_code&) {});
    } else {
      beast::error_code ignored;
      stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    }
  }

  Shared& shared_;
  Stream stream_;
  beast::flat_buffer buffer_{HttpServer::kMaxHeadBytes + 1};  // one byte more tells
  http::request_parser<http::empty_body> parser_;
  http::response<http::string_body> answer_;
};

tcp::endpoint EndpointOf(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  const std::string port = colon == std::string::npos ? "" : address.substr(colon + 1);
  if (port.empty() || port.size() > 5 ||
      port.find_first_not_of("0123456789") != std::string::npos || std::stoi(port) > 65'535) {
    throw std::runtime_error(fmt::format("address \"{}\": is not IP:PORT or :PORT", address));
  }
  std::string host = address.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  if (host == "localhost") host = "127.0.0.1";
  beast::error_code error;
  // :: takes IPv4 as well.
  const auto ip = host.empty() ? asio::ip::address(asio::ip::address_v6::any())
                               : asio::ip::make_address(host, error);
  if (error) {
    throw std::runtime_error(fmt::format("address \"{}\": \"{}\" is no IP address", address, host));
  }
  return {ip, static_cast<std::uint16_t>(std::stoi(port))};
}

// The TLS settings of new connections, made anew when the certificate changes.
class Certificates {
 public:
  explicit Certificates(std::function<CertificatePair()> source) : source_(std::move(source)) {
    pair_ = source_();
    context_ = ContextOf(pair_);
  }

  const std::shared_ptr<asio::ssl::context>& Current() {
    try {
      CertificatePair now = source_();
      if (now.certificate != pair_.certificate || now.key != pair_.key) {
        context_ = ContextOf(now);
        pair_ = std::move(now);
        Log(LogLevel::kInfo, "the server uses a new certificate", {});
      }
      last_problem_.clear();
    } catch (const std::exception& error) {
      if (last_problem_ != error.what()) {
        Log(LogLevel::kError, "the server's new certificate cannot be used, the old one stays",
            {{"error", error.what()}});
      }
      last_problem_ = error.what();
    }
    return context_;
  }

 private:
  static std::shared_ptr<asio::ssl::context> ContextOf(const CertificatePair& pair) {
    auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
    SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
    context->use_certificate_chain(asio::buffer(pair.certificate));
    // Fails too when it is not the certificate's key.
    context->use_private_key(asio::buffer(pair.key), asio::ssl::context::pem);
    return context;
  }

  const std::function<CertificatePair()> source_;
  CertificatePair pair_;
  std::shared_ptr<asio::ssl::context> context_;
  std::string last_problem_;  // said once
};

class Server final : public HttpServer {
 public:
  Server(const ServerOptions& options, Handle handle)
      : shared_{.handle = std::move(handle), .timeout = options.timeout} {
    Listen(options.address);
    if (options.certificate) {
      try {
        certificates_.emplace(options.certificate);
      } catch (const std::exception& error) {
        throw std::runtime_error(
            fmt::format("the certificate of the server on {} cannot be used: {}", options.address,
                        error.what()));
      }
    }
    Accept();
    carrying_ = std::thread([this] { context_.run(); });
  }

  ~Server() override {
    shared_.stopping = true;
    context_.stop();
    carrying_.join();
    shared_.answering.join();
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const override { return port_; }

 private:
  void Listen(const std::string& address) {
    const tcp::endpoint endpoint = EndpointOf(address);
    try {
      try {
        Open(endpoint);
      } catch (const beast::system_error&) {
        // A machine without IPv6.
        if (endpoint.address() != asio::ip::address_v6::any()) throw;
        Open({tcp::v4(), endpoint.port()});
      }
    } catch (const beast::system_error& error) {
      throw std::runtime_error(
          fmt::format("cannot listen on {}: {}", address, error.code().message()));
    }
    port_ = acceptor_.local_endpoint().port();
  }

  void Open(const tcp::endpoint& endpoint) {
    acceptor_ = tcp::acceptor(context_);
    acceptor_.open(endpoint.protocol());
    acceptor_.set_option(asio::socket_base::reuse_address(true));
    if (endpoint.address() == asio::ip::address_v6::any()) {
      acceptor_.set_option(asio::ip::v6_only(false));
    }
    acceptor_.bind(endpoint);
    acceptor_.listen();
  }

  void Accept() {
    acceptor_.async_accept([this](const beast::error_code& error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (error) {
        Log(LogLevel::kWarning, "a connection was not accepted", {{"error", error.message()}});
        later_.expires_after(kAcceptAgain);
        later_.async_wait([this](const beast::error_code& aborted) {
          if (!aborted) Accept();
        });
        return;
      }
      if (shared_.connections < kMaxConnections) Serve(std::move(socket));
      Accept();
    });
  }

  void Serve(tcp::socket socket) {
    if (certificates_) {
      // The connection's SSL object keeps what it needs of the context.
      std::make_shared<Session<Tls>>(shared_, std::move(socket), *certificates_->Current())
          ->Start();
    } else {
      std::make_shared<Session<Plain>>(shared_, std::move(socket))->Start();
    }
  }

  Shared shared_;  // first: connections that the context still holds count themselves out
  asio::io_context context_{1};
  tcp::acceptor acceptor_{context_};
  asio::steady_timer later_{context_};
  std::uint16_t port_ = 0;
  std::optional<Certificates> certificates_;
  std::thread carrying_;
};

}  // namespace

std::unique_ptr<HttpServer> StartHttpServer(
    const ServerOptions& options, std::function<ServerResponse(const ServerRequest&)> handle) {
  return std::make_unique<Server>(options, std::move(handle));
}

}  // namespace kube
