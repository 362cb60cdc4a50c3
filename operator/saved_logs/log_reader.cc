// SPDX-License-Identifier: Apache-2.0
#include "operator/saved_logs/log_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "operator/saved_logs/utf16.h"

namespace app {
namespace {

constexpr std::size_t kInputBytes = 128 * 1024;
// Of Zstandard: 32 MiB, as --ultra -20 makes; several logs are read at a time.
constexpr int kMaxWindowLog = 25;

std::string SystemMessage(int error) { return std::generic_category().message(error); }

// The bytes of a file descriptor, with a look at the first ones.
class RawBytes {
 public:
  explicit RawBytes(int fd) : fd_(fd), buffer_(kInputBytes) {}
  RawBytes(const RawBytes&) = delete;
  RawBytes& operator=(const RawBytes&) = delete;
  ~RawBytes() {
    if (fd_ != STDIN_FILENO) close(fd_);
  }

  // At least `size` bytes, less only at the end.
  std::string_view Peek(std::size_t size) {
    while (end_ - begin_ < size && Fill()) {
    }
    return Available();
  }

  // What is there; reads more if that is nothing. Empty at the end.
  std::string_view Next() {
    if (begin_ == end_) Fill();
    return Available();
  }

  void Consume(std::size_t size) { begin_ += size; }

  const std::string& error() const { return error_; }

 private:
  std::string_view Available() const { return {buffer_.data() + begin_, end_ - begin_}; }

  bool Fill() {
    if (begin_ == end_) begin_ = end_ = 0;
    if (end_ == buffer_.size()) return false;
    while (true) {
      const ssize_t got = read(fd_, buffer_.data() + end_, buffer_.size() - end_);
      if (got > 0) {
        end_ += static_cast<std::size_t>(got);
        return true;
      }
      if (got == 0) return false;
      if (errno == EINTR) continue;
      error_ = "cannot be read: " + SystemMessage(errno);
      return false;
    }
  }

  int fd_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::string error_;
};

class PlainReader final : public LogReader {
 public:
  explicit PlainReader(std::unique_ptr<RawBytes> raw) : raw_(std::move(raw)) {}

  std::size_t Read(std::span<char> buffer) override {
    const std::string_view bytes = raw_->Next();
    const std::size_t size = std::min(bytes.size(), buffer.size());
    std::copy_n(bytes.data(), size, buffer.data());
    raw_->Consume(size);
    return size;
  }

  const std::string& error() const override { return raw_->error(); }

 private:
  std::unique_ptr<RawBytes> raw_;
};

class GzipReader final : public LogReader {
 public:
  explicit GzipReader(std::unique_ptr<RawBytes> raw) : raw_(std::move(raw)) {
    // 15 window bits, the most there are; + 16: a gzip header must be there.
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) error_ = "not enough memory to decompress";
  }
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;
  ~GzipReader() override { inflateEnd(&stream_); }

  std::size_t Read(std::span<char> buffer) override {
    std::size_t written = 0;
    while (written == 0 && error_.empty()) {
      const std::string_view input = raw_->Next();
      if (input.empty()) {
        if (!raw_->error().empty()) {
          error_ = raw_->error();
        } else if (in_member_) {
          error_ = "gzip data ends in the middle: the end of the log is missing";
        }
        break;
      }
      if (!in_member_) {
        // Some writers fill the last block with zeros.
        if (members_ > 0 && input[0] == '\0') {
          raw_->Consume(1);
          continue;
        }
        in_member_ = true;
      }
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
      stream_.avail_in = static_cast<uInt>(input.size());
      stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
      stream_.avail_out = static_cast<uInt>(buffer.size());
      const int result = inflate(&stream_, Z_NO_FLUSH);
      raw_->Consume(input.size() - stream_.avail_in);
      written = buffer.size() - stream_.avail_out;
      if (result == Z_STREAM_END) {
        in_member_ = false;
        ++members_;
        inflateReset(&stream_);
      } else if (result != Z_OK && result != Z_BUF_ERROR) {
        error_ = std::string("gzip data is damaged (") +
                 (stream_.msg != nullptr ? stream_.msg : "unknown error") +
                 "): what follows could not be read";
      }
    }
    return written;
  }

  const std::string& error() const override { return error_; }

 private:
  std::unique_ptr<RawBytes> raw_;
  z_stream stream_{};
  bool in_member_ = false;
  int members_ = 0;
  std::string error_;
};

class ZstdReader final : public LogReader {
 public:
  explicit ZstdReader(std::unique_ptr<RawBytes> raw)
      : raw_(std::move(raw)), stream_(ZSTD_createDStream(), &ZSTD_freeDStream) {
    if (stream_ == nullptr || ZSTD_isError(ZSTD_DCtx_setParameter(
                                  stream_.get(), ZSTD_d_windowLogMax, kMaxWindowLog)) != 0) {
      error_ = "not enough memory to decompress";
    }
  }

  std::size_t Read(std::span<char> buffer) override {
    std::size_t written = 0;
    while (written == 0 && error_.empty()) {
      const std::string_view bytes = raw_->Next();
      if (bytes.empty()) {
        if (!raw_->error().empty()) {
          error_ = raw_->error();
        } else if (in_frame_ && !Drain(buffer, written)) {
          error_ = "zstd data ends in the middle: the end of the log is missing";
        }
        break;
      }
      ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
      ZSTD_outBuffer output{buffer.data(), buffer.size(), 0};
      const std::size_t result = ZSTD_decompressStream(stream_.get(), &output, &input);
      raw_->Consume(input.pos);
      written = output.pos;
      if (ZSTD_getErrorCode(result) == ZSTD_error_frameParameter_windowTooLarge) {
        error_ =
            "needs more memory than 32 MiB to decompress: pass `zstd -dc --long=31 FILE | "
            "attribution analyze -`";
      } else if (ZSTD_isError(result) != 0) {
        error_ = std::string("zstd data is damaged (") + ZSTD_getErrorName(result) +
                 "): what follows could not be read";
      }
      in_frame_ = result != 0;
    }
    return written;
  }

  const std::string& error() const override { return error_; }

 private:
  // What the decoder still holds once all input is consumed. False when it needs more input.
  bool Drain(std::span<char> buffer, std::size_t& written) {
    ZSTD_inBuffer input{nullptr, 0, 0};
    ZSTD_outBuffer output{buffer.data(), buffer.size(), 0};
    const std::size_t result = ZSTD_decompressStream(stream_.get(), &output, &input);
    written = output.pos;
    in_frame_ = result != 0;
    return ZSTD_isError(result) == 0 && (written > 0 || result == 0);
  }

  std::unique_ptr<RawBytes> raw_;
  std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> stream_;
  bool in_frame_ = false;
  std::string error_;
};

// What is UTF-16 is read as UTF-8.
class Utf8Reader final : public LogReader {
 public:
  explicit Utf8Reader(std::unique_ptr<LogReader> reader) : reader_(std::move(reader)) {}

  std::size_t Read(std::span<char> buffer) override {
    if (!began_) ReadFront();
    while (decoder_ && given_ == text_.size() && !ended_) {
      const std::size_t size = reader_->Read(raw_);
      text_.clear();
      given_ = 0;
      decoder_->Decode({raw_.data(), size}, text_);
      ended_ = size == 0;
      if (ended_) decoder_->Finish(text_);
    }
    std::size_t size = text_.copy(buffer.data(), buffer.size(), given_);
    given_ += size;
    if (!decoder_ && size < buffer.size()) size += reader_->Read(buffer.subspan(size));
    return size;
  }

  const std::string& error() const override { return reader_->error(); }

 private:
  void ReadFront() {
    began_ = true;
    std::array<char, Utf16Decoder::kMarkBytes> front{};
    std::size_t size = 0;
    while (size < front.size()) {
      const std::size_t more = reader_->Read(std::span(front).subspan(size));
      if (more == 0) break;
      size += more;
    }
    decoder_ = Utf16Decoder::ForMark({front.data(), size});
    if (decoder_) {
      raw_.resize(kInputBytes);
    } else {
      text_.assign(front.data(), size);
    }
  }

  std::unique_ptr<LogReader> reader_;
  bool began_ = false;
  bool ended_ = false;
  std::optional<Utf16Decoder> decoder_;
  std::vector<char> raw_;
  std::string text_;       // to be given next
  std::size_t given_ = 0;  // of it
};

// The compression that a file's first bytes stand for.
enum class Format { kPlain, kGzip, kZstd, kOther };

Format FormatOf(std::string_view head, std::string* remedy) {
  using namespace std::string_view_literals;
  if (head.starts_with("\x1f\x8b"sv)) return Format::kGzip;
  if (head.starts_with("\x28\xb5\x2f\xfd"sv)) return Format::kZstd;
  // A skippable frame (RFC 8878, 3.1.2) may come first.
  if (head.size() >= 4 && (static_cast<std::uint8_t>(head[0]) & 0xf0U) == 0x50 &&
      head.substr(1).starts_with("\x2a\x4d\x18"sv)) {
    return Format::kZstd;
  }
  struct Known {
    std::string_view magic;
    const char* remedy;
  };
  constexpr Known kUnreadable[] = {
      {"\xfd\x37zXZ"sv, "is xz-compressed: pass `xz -dc FILE | attribution analyze -`"},
      {"BZh"sv, "is bzip2-compressed: pass `bzip2 -dc FILE | attribution analyze -`"},
      {"PK\x03\x04"sv, "is a zip archive: unpack it and pass the folder"},
      {"LPKSHHRH"sv,
       "is a journal: pass `journalctl --file FILE -o short-iso-precise | attribution analyze -`"},
  };
  for (const Known& known : kUnreadable) {
    if (head.starts_with(known.magic)) {
      *remedy = known.remedy;
      return Format::kOther;
    }
  }
  if (head.size() > 262 && head.substr(257).starts_with("ustar")) {
    *remedy = "is a tar archive: unpack it and pass the folder";
    return Format::kOther;
  }
  return Format::kPlain;
}

}  // namespace

std::unique_ptr<LogReader> OpenLog(const std::string& path, std::string* error) {
  int fd = STDIN_FILENO;
  if (path != "-") {
    fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
      *error = "cannot be opened: " + SystemMessage(errno);
      return nullptr;
    }
    struct stat status {};
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
      posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    }
  }
  auto raw = std::make_unique<RawBytes>(fd);
  std::unique_ptr<LogReader> reader;
  switch (FormatOf(raw->Peek(512), error)) {
    case Format::kGzip:
      reader = std::make_unique<GzipReader>(std::move(raw));
      break;
    case Format::kZstd:
      reader = std::make_unique<ZstdReader>(std::move(raw));
      break;
    case Format::kOther:
      return nullptr;
    case Format::kPlain:
      reader = std::make_unique<PlainReader>(std::move(raw));
      break;
  }
  return std::make_unique<Utf8Reader>(std::move(reader));
}

}  // namespace app
