// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <utility>

#include "operator/node_agent/kmsg_line.h"
#include "operator/node_agent/record_source.h"

namespace app {
namespace {

// The kernel's limit of one record with its prefix and fields (CONSOLE_EXT_LOG_MAX).
constexpr std::size_t kRecordBytes = 8192;

engine::Time Now() {
  return std::chrono::time_point_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now());
}

// kmsg's clock is the time since boot without suspend.
engine::Time BootTime() {
  timespec monotonic{};
  clock_gettime(CLOCK_MONOTONIC, &monotonic);
  return Now() - std::chrono::seconds(monotonic.tv_sec) -
         std::chrono::nanoseconds(monotonic.tv_nsec);
}

class KmsgSource final : public RecordSource {
 public:
  KmsgSource(std::string device, const std::string& boot_id_file) : device_(std::move(device)) {
    std::ifstream boot(boot_id_file);
    if (!std::getline(boot, boot_id_)) {
      throw std::runtime_error(fmt::format("{}: cannot be read", boot_id_file));
    }
    fd_ = open(device_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd_ < 0) {
      throw std::runtime_error(fmt::format(
          "{}: {}; mode kmsg needs a privileged container with this device, mode journal doesn't",
          device_, std::strerror(errno)));
    }
  }
  ~KmsgSource() override { close(fd_); }
  KmsgSource(const KmsgSource&) = delete;
  KmsgSource& operator=(const KmsgSource&) = delete;

  Event Next(KernelRecord* record, std::chrono::milliseconds timeout) override {
    if (held_) {
      *record = std::move(*held_);
      held_.reset();
      return Event::kRecord;
    }
    for (;;) {
      const ssize_t size = read(fd_, buffer_.data(), buffer_.size());
      if (size > 0) {
        const auto line =
            ParseKmsgLine(std::string_view(buffer_.data(), static_cast<std::size_t>(size)));
        if (!line) continue;
        *record = {.boot_id = boot_id_,
                   .seq = line->seq,
                   .time = BootTime() + line->since_boot,
                   .priority = line->priority,
                   .facility = line->facility,
                   .transport = "kmsg",
                   .message = line->message};
        // A boot counts from 0: what is missing was overwritten before this process came to it.
        if (!std::exchange(begun_, true) && line->seq > 0) {
          held_ = *record;
          return Event::kOverrun;
        }
        return Event::kRecord;
      }
      if (size < 0 && errno == EPIPE) {
        begun_ = true;
        record->time = Now();
        return Event::kOverrun;
      }
      if (size < 0 && errno == EINTR) continue;
      if (size < 0 && errno != EAGAIN) {
        throw std::runtime_error(fmt::format("{}: {}", device_, std::strerror(errno)));
      }
      pollfd waiting{.fd = fd_, .events = POLLIN, .revents = 0};
      if (poll(&waiting, 1, static_cast<int>(timeout.count())) <= 0) return Event::kIdle;
    }
  }

  const std::string& boot_id() const override { return boot_id_; }

 private:
  const std::string device_;
  std::string boot_id_;
  int fd_ = -1;
  bool begun_ = false;                // the first record has been looked at
  std::optional<KernelRecord> held_;  // told after its overrun
  std::array<char, kRecordBytes> buffer_{};
};

}  // namespace

std::unique_ptr<RecordSource> OpenKmsg(const std::string& device, const std::string& boot_id_file) {
  return std::make_unique<KmsgSource>(device, boot_id_file);
}

}  // namespace app
