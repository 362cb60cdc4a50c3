// SPDX-License-Identifier: Apache-2.0
// cpprestsdk gives a body either whole in memory, without back-pressure, or into a stream buffer of
// the caller's. Every answer here goes through such a buffer, over a BytePipe that holds at most
// 1 MiB: when it is full the write's task stays open, and with it the socket unread.
#include "kube/http_transport.h"

// The library would define a macro U otherwise, which breaks fmt.
#define _TURN_OFF_PLATFORM_STRING  // NOLINT(bugprone-reserved-identifier): its name
#include <cpprest/astreambuf.h>
#include <cpprest/http_client.h>
#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <pplx/threadpool.h>

#include <atomic>
#include <charconv>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>

#include "kube/byte_pipe.h"
#include "kube/error.h"

namespace kube {
namespace {

namespace http = web::http;
namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr std::size_t kPipeBytes = 1 << 20;
// Continuations never block, so a few threads carry any number of transfers.
constexpr int kNetworkThreads = 4;
// Deadlines are our own; the library's counts the time between reads and must not end a quiet
// watch.
constexpr std::chrono::hours kLibraryTimeout{24};

void StartThreadsOnce() {
  static const bool started = [] {
    crossplat::threadpool::initialize_with_threads(kNetworkThreads);
    return true;
  }();
  static_cast<void>(started);
}

// The writing half of a pipe, as cpprestsdk wants it.
class PipeBuffer final : public concurrency::streams::details::streambuf_state_manager<uint8_t> {
 public:
  explicit PipeBuffer(std::shared_ptr<BytePipe> pipe)
      : streambuf_state_manager(std::ios_base::out), pipe_(std::move(pipe)) {}

  bool can_seek() const override { return false; }
  bool has_size() const override { return false; }
  std::size_t buffer_size(std::ios_base::openmode) const override { return 0; }
  void set_buffer_size(std::size_t, std::ios_base::openmode) override {}
  std::size_t in_avail() const override { return 0; }
  pos_type getpos(std::ios_base::openmode) const override { return pos_type(traits::eof()); }
  pos_type seekpos(pos_type, std::ios_base::openmode) override { return pos_type(traits::eof()); }
  pos_type seekoff(off_type, std::ios_base::seekdir, std::ios_base::openmode) override {
    return pos_type(traits::eof());
  }
  bool acquire(uint8_t*& bytes, std::size_t& count) override {
    bytes = nullptr;
    count = 0;
    return false;
  }
  void release(uint8_t*, std::size_t) override {}

 protected:
  pplx::task<int_type> _putc(uint8_t c) override {
    const char byte = static_cast<char>(c);
    return Put(&byte, 1).then([c](std::size_t) { return static_cast<int_type>(c); });
  }
  pplx::task<std::size_t> _putn(const uint8_t* bytes, std::size_t count) override {
    return Put(reinterpret_cast<const char*>(bytes), count);
  }
  pplx::task<bool> _sync() override { return pplx::task_from_result(true); }
  uint8_t* _alloc(std::size_t) override { return nullptr; }
  void _commit(std::size_t) override {}

  // Nothing is read from this side.
  pplx::task<int_type> _bumpc() override { return End(); }
  int_type _sbumpc() override { return traits::eof(); }
  pplx::task<int_type> _getc() override { return End(); }
  int_type _sgetc() override { return traits::eof(); }
  pplx::task<int_type> _nextc() override { return End(); }
  pplx::task<int_type> _ungetc() override { return End(); }
  pplx::task<std::size_t> _getn(uint8_t*, std::size_t) override {
    return pplx::task_from_result<std::size_t>(0);
  }
  std::size_t _scopy(uint8_t*, std::size_t) override { return 0; }

 private:
  static pplx::task<int_type> End() {
    return pplx::task_from_result(static_cast<int_type>(traits::eof()));
  }

  pplx::task<std::size_t> Put(const char* bytes, std::size_t count) {
    const pplx::task_completion_event<std::size_t> room;
    pipe_->Write(bytes, count, [room, count] { room.set(count); });
    return pplx::create_task(room);
  }

  const std::shared_ptr<BytePipe> pipe_;
};

// One request under way; shared by the caller, the network's threads and the stream.
struct Transfer {
  std::shared_ptr<BytePipe> pipe = std::make_shared<BytePipe>(kPipeBytes);
  pplx::cancellation_token_source cancel;

  std::mutex mutex;
  std::condition_variable_any changed;
  bool has_head = false;
  bool failed = false;
  HttpHead head;
  std::string error;

  ~Transfer() = default;
};

class TransferStream final : public ByteStream {
 public:
  TransferStream(std::shared_ptr<Transfer> transfer, std::stop_token stop, std::string what)
      : transfer_(std::move(transfer)), stop_(std::move(stop)), what_(std::move(what)) {}
  ~TransferStream() override {
    transfer_->pipe->Abandon();
    transfer_->cancel.cancel();
  }
  TransferStream(const TransferStream&) = delete;
  TransferStream& operator=(const TransferStream&) = delete;

  std::size_t Read(char* buffer, std::size_t size, milliseconds idle_timeout) override {
    std::size_t read = 0;
    switch (transfer_->pipe->Read(buffer, size, &read, idle_timeout, stop_)) {
      case BytePipe::State::kBytes:
        return read;
      case BytePipe::State::kEnd:
        return 0;
      case BytePipe::State::kError:
        throw ApiError(ErrorReason::kUnavailable, 0,
                       fmt::format("{}: cut: {}", what_, transfer_->pipe->error()));
      case BytePipe::State::kTimeout:
        throw ApiError(ErrorReason::kTimeout, 0,
                       fmt::format("{}: nothing came for {} ms", what_, idle_timeout.count()));
      case BytePipe::State::kStopped:
        break;
    }
    throw ApiError(ErrorReason::kCancelled, 0, fmt::format("{}: cancelled", what_));
  }

 private:
  const std::shared_ptr<Transfer> transfer_;
  const std::stop_token stop_;
  const std::string what_;
};

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    throw ApiError(ErrorReason::kUnknown, 0, fmt::format("{}: cannot be read", path));
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

// Files that are read again when they change.
class WatchedFile {
 public:
  explicit WatchedFile(std::string path) : path_(std::move(path)) {}

  // Whether the content is another than at the last call; the first call says yes.
  bool Refresh() {
    if (path_.empty()) return false;
    std::error_code error;
    const auto written = fs::last_write_time(path_, error);
    if (!error && read_once_ && written == written_) return false;
    const std::string fresh = ReadFile(path_);
    const bool changed = !read_once_ || fresh != text_;
    text_ = fresh;
    written_ = written;
    read_once_ = true;
    return changed;
  }
  const std::string& text() const { return text_; }
  bool used() const { return !path_.empty(); }

 private:
  const std::string path_;
  std::string text_;
  fs::file_time_type written_;
  bool read_once_ = false;
};

std::string Trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) {
    text.pop_back();
  }
  return text;
}

struct Credentials {
  std::string ca;           // PEM; empty: the system's
  std::string certificate;  // PEM
  std::string key;          // PEM
};

// Refuses before the first request what would otherwise fail at each handshake.
void CheckCredentials(const Credentials& credentials) {
  boost::asio::ssl::context context(boost::asio::ssl::context::tls_client);
  try {
    if (!credentials.ca.empty()) {
      context.add_certificate_authority(boost::asio::buffer(credentials.ca));
    }
    if (!credentials.certificate.empty()) {
      context.use_certificate_chain(boost::asio::buffer(credentials.certificate));
      context.use_private_key(boost::asio::buffer(credentials.key), boost::asio::ssl::context::pem);
    }
  } catch (const std::exception& error) {
    throw ApiError(ErrorReason::kUnknown, 0,
                   fmt::format("CA, client certificate or key cannot be used: {}", error.what()));
  }
}

std::shared_ptr<http::client::http_client> NewLibraryClient(const std::string& server,
                                                            const Credentials& credentials) {
  http::client::http_client_config config;
  config.set_timeout(std::chrono::duration_cast<std::chrono::seconds>(kLibraryTimeout));
  config.set_ssl_context_callback([credentials](boost::asio::ssl::context& context) {
    SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_2_VERSION);
    if (!credentials.ca.empty()) {
      context.add_certificate_authority(boost::asio::buffer(credentials.ca));
    } else {
      context.set_default_verify_paths();
    }
    if (!credentials.certificate.empty()) {
      context.use_certificate_chain(boost::asio::buffer(credentials.certificate));
      context.use_private_key(boost::asio::buffer(credentials.key), boost::asio::ssl::context::pem);
    }
  });
  return std::make_shared<http::client::http_client>(web::uri(server), config);
}

std::optional<std::chrono::seconds> RetryAfter(const http::http_headers& headers) {
  const auto found = headers.find("Retry-After");
  if (found == headers.end()) return std::nullopt;
  const std::string& text = found->second;
  std::int64_t seconds = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || seconds < 0) return std::nullopt;
  return std::chrono::seconds(seconds);
}

std::string TextOf(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "unknown error";
  }
}

class Transport final : public HttpTransport {
 public:
  explicit Transport(const Config& config)
      : config_(config),
        ca_file_(config.ca_file),
        certificate_file_(config.client_certificate_file),
        key_file_(config.client_key_file),
        token_file_(config.token_file) {
    StartThreadsOnce();
    host_ = web::uri(config.server).host();
    if (host_.empty()) {
      throw ApiError(ErrorReason::kUnknown, 0,
                     fmt::format("server \"{}\": is not a URL with a host", config.server));
    }
    Client();
  }

  HttpHead Send(const HttpRequest& request, milliseconds deadline, std::size_t max_body,
                std::stop_token stop, std::string* body) override {
    const auto until = std::chrono::steady_clock::now() + deadline;
    const std::shared_ptr<Transfer> transfer = Begin(request);
    const HttpHead head = WaitForHead(*transfer, until, stop);
    const auto give_up = [&](TransportError::Kind kind, std::string message) {
      transfer->pipe->Abandon();
      transfer->cancel.cancel();
      throw TransportError{kind, std::move(message), true};
    };
    std::string chunk(64 * 1024, '\0');
    for (;;) {
      const auto left = std::chrono::ceil<milliseconds>(until - std::chrono::steady_clock::now());
      std::size_t size = 0;
      switch (transfer->pipe->Read(chunk.data(), chunk.size(), &size,
                                   std::max(left, milliseconds(0)), stop)) {
        case BytePipe::State::kBytes:
          body->append(chunk, 0, size);
          if (body->size() > max_body) {
            give_up(TransportError::Kind::kTooLarge,
                    fmt::format("the answer is larger than {} bytes", max_body));
          }
          break;
        case BytePipe::State::kEnd:
          return head;
        case BytePipe::State::kError:
          give_up(TransportError::Kind::kUnavailable, transfer->pipe->error());
          break;
        case BytePipe::State::kTimeout:
          give_up(TransportError::Kind::kTimeout,
                  fmt::format("no answer within {} ms", deadline.count()));
          break;
        case BytePipe::State::kStopped:
          give_up(TransportError::Kind::kCancelled, "cancelled");
          break;
      }
    }
  }

  std::unique_ptr<ByteStream> Open(const HttpRequest& request, milliseconds deadline,
                                   std::stop_token stop, const std::string& what,
                                   HttpHead* head) override {
    const std::shared_ptr<Transfer> transfer = Begin(request);
    *head = WaitForHead(*transfer, std::chrono::steady_clock::now() + deadline, stop);
    return std::make_unique<TransferStream>(transfer, std::move(stop), what);
  }

  const std::string& host() const override { return host_; }

 private:
  // A client over the credentials as they are now, and the bearer token.
  std::pair<std::shared_ptr<http::client::http_client>, std::string> Client() {
    const std::lock_guard lock(mutex_);
    const bool ca = ca_file_.Refresh();
    const bool certificate = certificate_file_.Refresh();
    const bool key = key_file_.Refresh();
    token_file_.Refresh();
    if (!client_ || ca || certificate || key) {
      const Credentials credentials{
          ca_file_.used() ? ca_file_.text() : config_.ca_data,
          certificate_file_.used() ? certificate_file_.text() : config_.client_certificate_data,
          key_file_.used() ? key_file_.text() : config_.client_key_data};
      CheckCredentials(credentials);
      client_ = NewLibraryClient(config_.server, credentials);
    }
    return {client_, token_file_.used() ? Trimmed(token_file_.text()) : config_.token};
  }

  std::shared_ptr<Transfer> Begin(const HttpRequest& request) {
    const auto [client, token] = Client();
    http::http_request message(request.method);
    message.set_request_uri(web::uri(request.path_and_query));
    message.headers().add("Accept", request.accept);
    message.headers().add("User-Agent", config_.user_agent);
    if (!token.empty()) message.headers().add("Authorization", "Bearer " + token);
    if (!request.body.empty()) message.set_body(request.body, request.content_type);

    auto transfer = std::make_shared<Transfer>();
    message.set_response_stream(concurrency::streams::ostream(
        concurrency::streams::streambuf<uint8_t>(std::make_shared<PipeBuffer>(transfer->pipe))));
    const auto fail = [transfer](const std::string& error) {
      {
        const std::lock_guard lock(transfer->mutex);
        transfer->failed = true;
        transfer->error = error;
        transfer->changed.notify_all();
      }
      transfer->pipe->Finish(error.empty() ? "unknown error" : error);
    };
    client->request(message, transfer->cancel.get_token())
        .then([transfer, fail, client = client](const pplx::task<http::http_response>& answered) {
          http::http_response answer;
          try {
            answer = answered.get();
          } catch (...) {
            fail(TextOf(std::current_exception()));
            return;
          }
          {
            const std::lock_guard lock(transfer->mutex);
            transfer->head = {answer.status_code(), answer.headers().content_type(),
                              RetryAfter(answer.headers())};
            transfer->has_head = true;
            transfer->changed.notify_all();
          }
          answer.content_ready().then(
              [transfer, client](const pplx::task<http::http_response>& done) {
                try {
                  done.get();
                  transfer->pipe->Finish({});
                } catch (...) {
                  const std::string error = TextOf(std::current_exception());
                  transfer->pipe->Finish(error.empty() ? "unknown error" : error);
                }
              });
        });
    return transfer;
  }

  static HttpHead WaitForHead(Transfer& transfer, std::chrono::steady_clock::time_point until,
                              const std::stop_token& stop) {
    std::unique_lock lock(transfer.mutex);
    const bool woken = transfer.changed.wait_until(
        lock, stop, until, [&] { return transfer.has_head || transfer.failed; });
    if (transfer.has_head) return transfer.head;
    if (woken) {
      throw TransportError{TransportError::Kind::kUnavailable, transfer.error};
    }
    lock.unlock();
    transfer.pipe->Abandon();
    transfer.cancel.cancel();
    if (stop.stop_requested()) throw TransportError{TransportError::Kind::kCancelled, "cancelled"};
    throw TransportError{TransportError::Kind::kTimeout, "no answer within the deadline"};
  }

  const Config config_;
  std::string host_;
  std::mutex mutex_;  // guards the files and client_
  WatchedFile ca_file_;
  WatchedFile certificate_file_;
  WatchedFile key_file_;
  WatchedFile token_file_;
  std::shared_ptr<http::client::http_client> client_;
};

}  // namespace

std::unique_ptr<HttpTransport> NewHttpTransport(const Config& config) {
  return std::make_unique<Transport>(config);
}

}  // namespace kube
