// SPDX-License-Identifier: Apache-2.0
// The library's handlers run on the threads that carry all transfers of the process and must not
// block there, so requests are answered by a thread of their own.
#include "kube/http_server.h"

#define _TURN_OFF_PLATFORM_STRING  // NOLINT(bugprone-reserved-identifier): its name
#include <cpprest/http_listener.h>
#include <fmt/format.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "kube/log.h"

namespace kube {
namespace {

namespace http = web::http;
using http::experimental::listener::http_listener;
using http::experimental::listener::http_listener_config;

constexpr std::size_t kMaxWaiting = 64;

std::string UrlOf(const ServerOptions& options) {
  const std::size_t colon = options.address.rfind(':');
  if (colon == std::string::npos) {
    throw std::runtime_error(
        fmt::format("address \"{}\": is not HOST:PORT or :PORT", options.address));
  }
  const std::string host = options.address.substr(0, colon);
  return fmt::format("{}://{}:{}/", options.certificate ? "https" : "http",
                     host.empty() ? "0.0.0.0" : host, options.address.substr(colon + 1));
}

class Server final : public HttpServer {
 public:
  Server(const ServerOptions& options, std::function<ServerResponse(const ServerRequest&)> handle)
      : handle_(std::move(handle)) {
    http_listener_config config;
    if (options.certificate) {
      config.set_ssl_context_callback([certificate = options.certificate](
                                          boost::asio::ssl::context& context) {
        try {
          const CertificatePair pair = certificate();
          SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_2_VERSION);
          context.use_certificate_chain(boost::asio::buffer(pair.certificate));
          context.use_private_key(boost::asio::buffer(pair.key), boost::asio::ssl::context::pem);
        } catch (const std::exception& error) {
          Log(LogLevel::kError, "the server's certificate cannot be used",
              {{"error", error.what()}});
        }
      });
    }
    try {
      listener_ = std::make_unique<http_listener>(web::uri(UrlOf(options)), config);
      listener_->support(http::methods::GET,
                         [this](const http::http_request& request) { Take(request); });
      listener_->open().get();
    } catch (const std::exception& error) {
      throw std::runtime_error(
          fmt::format("cannot listen on {}: {}", options.address, error.what()));
    }
    thread_ = std::jthread([this](const std::stop_token& stop) { Work(stop); });
  }

  ~Server() override {
    try {
      listener_->close().get();
    } catch (const std::exception& error) {
      Log(LogLevel::kWarning, "the server did not close in order", {{"error", error.what()}});
    }
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

 private:
  void Take(const http::http_request& request) {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= kMaxWaiting) {
      request.reply(http::status_codes::ServiceUnavailable);
      return;
    }
    waiting_.push_back(request);
    changed_.notify_one();
  }

  void Work(const std::stop_token& stop) {
    for (;;) {
      http::http_request request;
      {
        std::unique_lock lock(mutex_);
        if (!changed_.wait(lock, stop, [&] { return !waiting_.empty(); })) return;
        request = waiting_.front();
        waiting_.pop_front();
      }
      ServerResponse response;
      try {
        const auto& headers = request.headers();
        const auto authorization = headers.find("Authorization");
        response = handle_({request.request_uri().path(), request.request_uri().query(),
                            authorization == headers.end() ? "" : authorization->second});
      } catch (const std::exception& error) {
        response = {.status = 500, .body = std::string(error.what()) + '\n'};
      }
      http::http_response answer(static_cast<http::status_code>(response.status));
      answer.set_body(response.body, response.content_type);
      answer.headers()["X-Content-Type-Options"] = "nosniff";
      // A client that has gone away meanwhile is no news.
      request.reply(answer).then([](const pplx::task<void>& done) {
        try {
          done.get();
        } catch (const std::exception& error) {
          Log(LogLevel::kDebug, "an answer was not sent", {{"error", error.what()}});
        }
      });
    }
  }

  const std::function<ServerResponse(const ServerRequest&)> handle_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<http::http_request> waiting_;
  std::unique_ptr<http_listener> listener_;
  std::jthread thread_;
};

}  // namespace

std::unique_ptr<HttpServer> StartHttpServer(
    const ServerOptions& options, std::function<ServerResponse(const ServerRequest&)> handle) {
  return std::make_unique<Server>(options, std::move(handle));
}

}  // namespace kube
