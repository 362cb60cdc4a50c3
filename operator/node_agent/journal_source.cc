// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <systemd/sd-journal.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "operator/node_agent/record_source.h"

namespace app {
namespace {

constexpr char kKernel[] = "_TRANSPORT=kernel";
// sd_journal truncates fields beyond this; kernel records are at most 1 KiB.
constexpr std::size_t kFieldBytes = 64 * 1024;
// A boot's first records are the kernel's within its first moments.
constexpr std::uint64_t kFirstRecordUsec = 1'000'000;

class JournalSource final : public RecordSource {
 public:
  explicit JournalSource(std::string directory) : directory_(std::move(directory)) {
    std::error_code error;
    if (!std::filesystem::is_directory(directory_, error)) {
      throw std::runtime_error(
          fmt::format("{}: no directory; mount the node's /var/log/journal (or /run/log/journal) "
                      "there, or use mode kmsg",
                      directory_));
    }
    Check(sd_journal_open_directory(&journal_, directory_.c_str(), 0), "cannot be opened");
    Check(sd_journal_set_data_threshold(journal_, kFieldBytes), "threshold");
    Check(sd_journal_add_match(journal_, kKernel, 0), "match");
    SeekNewestBoot();
  }
  ~JournalSource() override { sd_journal_close(journal_); }
  JournalSource(const JournalSource&) = delete;
  JournalSource& operator=(const JournalSource&) = delete;

  Event Next(KernelRecord* record, std::chrono::milliseconds timeout) override {
    if (held_) {
      *record = std::move(*held_);
      held_.reset();
      return Event::kRecord;
    }
    const int moved = sd_journal_next(journal_);
    Check(moved, "cannot be read");
    if (moved == 0) {
      // Without this a file that is added later is never seen.
      Check(sd_journal_wait(journal_, static_cast<std::uint64_t>(timeout.count()) * 1000),
            "cannot be watched");
      return Event::kIdle;
    }
    *record = Current();
    boot_id_ = record->boot_id;
    if (!std::exchange(begun_, true) &&
        NumberField<std::uint64_t>("_SOURCE_MONOTONIC_TIMESTAMP", 0) > kFirstRecordUsec) {
      held_ = *record;
      return Event::kOverrun;
    }
    return Event::kRecord;
  }

  const std::string& boot_id() const override { return boot_id_; }

 private:
  void Check(int result, std::string_view what) const {
    if (result < 0) {
      throw std::runtime_error(
          fmt::format("journal {}: {}: {}", directory_, what, std::strerror(-result)));
    }
  }

  std::optional<std::string> Field(const char* name) const {
    const void* data = nullptr;
    std::size_t size = 0;
    const int result = sd_journal_get_data(journal_, name, &data, &size);
    if (result == -ENOENT) return std::nullopt;
    Check(result, name);
    std::string_view text(static_cast<const char*>(data), size);
    text.remove_prefix(std::min(text.size(), std::strlen(name) + 1));
    return std::string(text);
  }

  template <typename Number>
  Number NumberField(const char* name, Number otherwise) const {
    const auto text = Field(name);
    if (!text) return otherwise;
    Number number{};
    const auto [rest, error] = std::from_chars(text->data(), text->data() + text->size(), number);
    return error == std::errc() ? number : otherwise;
  }

  // To just before the first kernel record of the boot that the last one belongs to: an older boot
  // says nothing about the node as it is.
  void SeekNewestBoot() {
    Check(sd_journal_seek_tail(journal_), "cannot be read");
    const int moved = sd_journal_previous(journal_);
    Check(moved, "cannot be read");
    if (moved > 0) {
      const std::string boot = Field("_BOOT_ID").value_or("");
      boot_id_ = DashedBootId(boot);
      sd_id128_t id{};
      if (sd_id128_from_string(boot.c_str(), &id) == 0) {
        Check(sd_journal_seek_monotonic_usec(journal_, id, 0), "cannot be read");
        return;
      }
    }
    Check(sd_journal_seek_head(journal_), "cannot be read");
  }

  // The journal's own sequence number, from the cursor ("s=..;i=1a2b;b=.."): rises by each entry of
  // any writer, and stays with the entry.
  std::uint64_t Sequence() const {
    char* cursor = nullptr;
    Check(sd_journal_get_cursor(journal_, &cursor), "cursor");
    const std::string text(cursor);
    std::free(cursor);
    const std::size_t at = text.find(";i=");
    std::uint64_t seq = 0;
    if (at != std::string::npos) {
      std::from_chars(text.data() + at + 3, text.data() + text.size(), seq, 16);
    }
    return seq;
  }

  KernelRecord Current() const {
    std::uint64_t usec = 0;
    Check(sd_journal_get_realtime_usec(journal_, &usec), "time");
    return {.boot_id = DashedBootId(Field("_BOOT_ID").value_or("")),
            .seq = Sequence(),
            .time = engine::Time(std::chrono::microseconds(usec)),
            .priority = NumberField("PRIORITY", 6),
            .facility = NumberField("SYSLOG_FACILITY", -1),
            .transport = "kernel",
            .message = Field("MESSAGE").value_or("")};
  }

  const std::string directory_;
  std::string boot_id_;
  bool begun_ = false;                // the first record has been looked at
  std::optional<KernelRecord> held_;  // told after its overrun
  sd_journal* journal_ = nullptr;
};

}  // namespace

std::unique_ptr<RecordSource> OpenJournal(const std::string& directory) {
  return std::make_unique<JournalSource>(directory);
}

}  // namespace app
