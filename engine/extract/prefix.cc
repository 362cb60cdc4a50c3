// SPDX-License-Identifier: Apache-2.0
#include "engine/extract/prefix.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

namespace engine {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsAlpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsHostChar(char c) { return IsDigit(c) || IsAlpha(c) || c == '-' || c == '.' || c == '_'; }

constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::array<std::string_view, 7> kDays = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};

// A cursor over the front of a line. Every Take either succeeds and moves, or does nothing.
class Cursor {
 public:
  explicit Cursor(std::string_view line) : line_(line) {}

  std::size_t position() const { return position_; }
  void Reset(std::size_t position) { position_ = position; }
  std::string_view rest() const { return line_.substr(position_); }
  char Peek(std::size_t ahead = 0) const {
    return position_ + ahead < line_.size() ? line_[position_ + ahead] : '\0';
  }

  bool Take(char c) {
    if (Peek() != c || position_ >= line_.size()) return false;
    ++position_;
    return true;
  }
  bool Take(std::string_view text) {
    if (!rest().starts_with(text)) return false;
    position_ += text.size();
    return true;
  }
  bool TakeNumber(std::size_t min_digits, std::size_t max_digits, int* number) {
    std::size_t digits = 0;
    while (digits < max_digits && IsDigit(Peek(digits))) ++digits;
    if (digits < min_digits) return false;
    *number = 0;
    for (std::size_t i = 0; i < digits; ++i) *number = *number * 10 + (Peek(i) - '0');
    position_ += digits;
    return true;
  }
  void SkipBlanks() {
    while (Peek() == ' ' || Peek() == '\t') ++position_;
  }
  std::string_view TakeWhile(bool (*accept)(char)) {
    const std::size_t begin = position_;
    while (position_ < line_.size() && accept(line_[position_])) ++position_;
    return line_.substr(begin, position_ - begin);
  }

 private:
  const std::string_view line_;
  std::size_t position_ = 0;
};

struct DateTime {
  int year = 0;
  int month = 0;
  int day = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
  std::int64_t nanoseconds = 0;
  int offset_minutes = 0;
};

std::optional<Time> ToTime(const DateTime& d) {
  const std::chrono::year_month_day date{std::chrono::year(d.year),
                                         std::chrono::month(static_cast<unsigned>(d.month)),
                                         std::chrono::day(static_cast<unsigned>(d.day))};
  if (!date.ok() || d.year < 1970 || d.year > 2261 || d.hour > 23 || d.minute > 59 ||
      d.second > 60) {
    return std::nullopt;
  }
  return std::chrono::sys_days(date) + std::chrono::hours(d.hour) + std::chrono::minutes(d.minute) +
         std::chrono::seconds(d.second) + std::chrono::nanoseconds(d.nanoseconds) -
         std::chrono::minutes(d.offset_minutes);
}

// ".123456" or ",123".
void TakeFraction(Cursor& at, std::int64_t* nanoseconds) {
  if ((at.Peek() != '.' && at.Peek() != ',') || !IsDigit(at.Peek(1))) return;
  at.Reset(at.position() + 1);
  std::int64_t unit = 100'000'000;
  while (IsDigit(at.Peek())) {
    *nanoseconds += (at.Peek() - '0') * unit;
    unit /= 10;
    at.Reset(at.position() + 1);
  }
}

bool TakeClock(Cursor& at, DateTime* d) {
  return at.TakeNumber(2, 2, &d->hour) && at.Take(':') && at.TakeNumber(2, 2, &d->minute) &&
         at.Take(':') && at.TakeNumber(2, 2, &d->second);
}

// "Z", "+01:00", "+0100"; none is UTC.
void TakeZone(Cursor& at, DateTime* d) {
  const std::size_t begin = at.position();
  if (at.Take('Z')) return;
  const bool west = at.Peek() == '-';
  if (!at.Take('+') && !at.Take('-')) return;
  int hours = 0;
  int minutes = 0;
  if (!at.TakeNumber(2, 2, &hours)) {
    at.Reset(begin);
    return;
  }
  at.Take(':');
  at.TakeNumber(2, 2, &minutes);
  d->offset_minutes = (west ? -1 : 1) * (hours * 60 + minutes);
}

// 2026-12-01T04:00:00.1+01:00, 2026-12-01 04:00:00,123, 2026/12/01 04:00:00, [...]
std::optional<Time> TakeIso(Cursor& at) {
  const std::size_t begin = at.position();
  const bool bracket = at.Take('[');
  DateTime d;
  const auto separated = [&] { return at.Take('-') || at.Take('/'); };
  if (at.TakeNumber(4, 4, &d.year) && separated() && at.TakeNumber(2, 2, &d.month) && separated() &&
      at.TakeNumber(2, 2, &d.day) && (at.Take('T') || at.Take(' ')) && TakeClock(at, &d)) {
    TakeFraction(at, &d.nanoseconds);
    TakeZone(at, &d);
    const auto time = ToTime(d);
    const bool closed = !bracket || at.Take(']');
    if (time && closed &&
        (at.Peek() == ' ' || at.Peek() == ':' || at.Peek() == '\t' || at.Peek() == '\0' ||
         bracket)) {
      at.Take(':');
      at.SkipBlanks();
      return time;
    }
  }
  at.Reset(begin);
  return std::nullopt;
}

bool TakeMonth(Cursor& at, int* month) {
  for (std::size_t i = 0; i < kMonths.size(); ++i) {
    if (at.Take(kMonths[i])) {
      *month = static_cast<int>(i) + 1;
      return true;
    }
  }
  return false;
}

// The year that brings the time nearest to `about`.
std::optional<Time> WithYear(DateTime d, Time about) {
  const auto day = std::chrono::floor<std::chrono::days>(about);
  const int year = static_cast<int>(std::chrono::year_month_day(day).year());
  std::optional<Time> best;
  for (const int candidate : {year - 1, year, year + 1}) {
    d.year = candidate;
    const auto time = ToTime(d);
    if (time && (!best || std::chrono::abs(*time - about) < std::chrono::abs(*best - about))) {
      best = time;
    }
  }
  return best;
}

void SetYearless(const DateTime& d, std::optional<Time> about, Prefix* prefix) {
  if (about) {
    if (const auto time = WithYear(d, *about)) {
      prefix->clock = Clock::kAbsolute;
      prefix->time = *time;
    }
    return;
  }
  DateTime any = d;
  any.year = 1972;  // a leap year
  if (const auto time = ToTime(any)) {
    prefix->clock = Clock::kYearless;
    prefix->time = *time;
  }
}

// "Dec  1 04:00:00 ".
bool TakeSyslogTime(Cursor& at, std::optional<Time> about, Prefix* prefix) {
  const std::size_t begin = at.position();
  DateTime d;
  if (TakeMonth(at, &d.month) && at.Take(' ')) {
    at.SkipBlanks();
    if (at.TakeNumber(1, 2, &d.day) && at.Take(' ') && TakeClock(at, &d)) {
      TakeFraction(at, &d.nanoseconds);
      if (at.Take(' ')) {
        at.SkipBlanks();
        SetYearless(d, about, prefix);
        return true;
      }
    }
  }
  at.Reset(begin);
  return false;
}

// "[Tue Dec  1 04:00:00 2026] ".
bool TakeDmesgCalendar(Cursor& at, Prefix* prefix) {
  const std::size_t begin = at.position();
  DateTime d;
  if (at.Take('[')) {
    const bool day = std::any_of(kDays.begin(), kDays.end(),
                                 [&](std::string_view name) { return at.Take(name); });
    if (day && at.Take(' ') && TakeMonth(at, &d.month) && at.Take(' ')) {
      at.SkipBlanks();
      if (at.TakeNumber(1, 2, &d.day) && at.Take(' ') && TakeClock(at, &d) && at.Take(' ') &&
          at.TakeNumber(4, 4, &d.year) && at.Take(']')) {
        at.SkipBlanks();
        if (const auto time = ToTime(d)) {
          prefix->clock = Clock::kAbsolute;
          prefix->time = *time;
        }
        return true;
      }
    }
  }
  at.Reset(begin);
  return false;
}

// "[  123.456789] ".
bool TakeDmesgSeconds(Cursor& at, Prefix* prefix) {
  const std::size_t begin = at.position();
  if (at.Take('[')) {
    at.SkipBlanks();
    int seconds = 0;
    std::int64_t nanoseconds = 0;
    // dmesg -d: since the line above.
    const bool lag = at.Take('+');
    if (at.TakeNumber(1, 9, &seconds) && at.Peek() == '.') {
      TakeFraction(at, &nanoseconds);
      // "[  123.456789][ T1234]": the caller's thread.
      if (at.Take(']')) {
        if (at.Peek() == '[') {
          const std::size_t close = at.rest().find(']');
          if (close != std::string_view::npos && close < 16) at.Reset(at.position() + close + 1);
        }
        at.SkipBlanks();
        if (prefix->clock == Clock::kNone && !lag) {
          prefix->clock = Clock::kBoot;
          prefix->time =
              Time(std::chrono::seconds(seconds) + std::chrono::nanoseconds(nanoseconds));
        }
        return true;
      }
    }
  }
  at.Reset(begin);
  return false;
}

// "kern  :warn  : " (dmesg -x).
void TakeDmesgLevel(Cursor& at) {
  const std::size_t begin = at.position();
  if (at.TakeWhile(IsAlpha).empty()) return;
  at.SkipBlanks();
  if (at.Take(':')) {
    at.SkipBlanks();
    if (!at.TakeWhile(IsAlpha).empty()) {
      at.SkipBlanks();
      if (at.Take(": ")) {
        at.SkipBlanks();
        // A time follows: dmesg's seconds or calendar, or --time-format iso.
        if (at.Peek() == '[' || IsDigit(at.Peek())) return;
      }
    }
  }
  at.Reset(begin);
}

// "E1201 04:00:00.123456    1234 file.go:12] ".
bool TakeKlog(Cursor& at, std::optional<Time> about, Prefix* prefix) {
  const std::size_t begin = at.position();
  DateTime d;
  const char level = at.Peek();
  if ((level == 'I' || level == 'W' || level == 'E' || level == 'F') && IsDigit(at.Peek(1))) {
    at.Reset(at.position() + 1);
    if (at.TakeNumber(2, 2, &d.month) && at.TakeNumber(2, 2, &d.day) && at.Take(' ') &&
        TakeClock(at, &d)) {
      TakeFraction(at, &d.nanoseconds);
      const std::size_t close = at.rest().find("] ");
      if (close != std::string_view::npos && close < 120) {
        at.Reset(at.position() + close + 2);
        if (prefix->clock == Clock::kNone) SetYearless(d, about, prefix);
        return true;
      }
    }
  }
  at.Reset(begin);
  return false;
}

// The time of "E1201 04:00:00.123456 ..." or "[E1201 04:00:00.123456 ...", which stays where it is.
void ReadTimeOfProgram(Cursor at, std::optional<Time> about, Prefix* prefix) {
  at.Take('[');
  const char level = at.Peek();
  if (level != 'I' && level != 'W' && level != 'E' && level != 'F') return;
  at.Reset(at.position() + 1);
  DateTime d;
  if (!at.TakeNumber(2, 2, &d.month) || !at.TakeNumber(2, 2, &d.day) || !at.Take(' ') ||
      !TakeClock(at, &d) || at.Peek() != '.') {
    return;
  }
  TakeFraction(at, &d.nanoseconds);
  SetYearless(d, about, prefix);
}

// "host tag[pid]: " or "host kernel: "; a host alone only where the tag follows.
void TakeHostAndTag(Cursor& at, Prefix* prefix) {
  const std::size_t begin = at.position();
  const std::string_view host = at.TakeWhile(IsHostChar);
  if (host.empty() || !at.Take(' ')) {
    at.Reset(begin);
    return;
  }
  at.SkipBlanks();
  const auto is_tag = [](char c) {
    return IsHostChar(c) || c == '/' || c == '(' || c == ')' || c == '@';
  };
  const std::string_view tag = at.TakeWhile(is_tag);
  if (!tag.empty()) {
    if (at.Peek() == '[') {
      const std::size_t close = at.rest().find(']');
      if (close != std::string_view::npos && close < 24) at.Reset(at.position() + close + 1);
    }
    if (at.Take(':')) {
      at.SkipBlanks();
      prefix->node = host;
      return;
    }
    // RFC 5424: "host app pid msgid structured-data message".
    const std::size_t kernel = at.rest().find(" - - - ");
    if (kernel == 0) {
      at.Reset(at.position() + 7);
      prefix->node = host;
      return;
    }
  }
  at.Reset(begin);
}

void TakeSystemPrefix(Cursor& at, Source source, std::optional<Time> about, Prefix* prefix) {
  // "<4>" or "<4>1 ": syslog priorities.
  const std::size_t begin = at.position();
  int priority = 0;
  if (at.Take('<')) {
    if (at.TakeNumber(1, 3, &priority) && at.Take('>')) {
      at.Take("1 ");
    } else {
      at.Reset(begin);
    }
  }
  if (source == Source::kKernel || source == Source::kSyslog) TakeDmesgLevel(at);
  bool dated = false;
  bool names_host = false;  // dmesg names none: "Call Trace:" is no host with a tag
  const std::size_t before = at.position();
  if (const auto iso = TakeIso(at)) {
    prefix->clock = Clock::kAbsolute;
    prefix->time = *iso;
    dated = true;
    // dmesg --time-format iso writes a comma before the fraction.
    at.Reset(before);
    names_host = at.rest().substr(0, 24).find(',') == std::string_view::npos;
    TakeIso(at);
  } else if (TakeSyslogTime(at, about, prefix)) {
    dated = names_host = true;
  } else {
    dated = TakeDmesgCalendar(at, prefix);
  }
  if (names_host) TakeHostAndTag(at, prefix);
  if (source != Source::kKubelet) {
    if (!dated || prefix->clock != Clock::kNone) TakeDmesgSeconds(at, prefix);
    // journalctl -k -o short and saved excerpts: "kernel: NVRM: ...".
    if (at.Take("kernel: ")) TakeDmesgSeconds(at, prefix);
  } else {
    TakeKlog(at, about, prefix);
  }
}

// "[rank3]:", "[3]:", "[default0]:", "[1,3]<stderr>:", "(Worker pid=1, ip=192.0.2.1)".
bool TakeRank(Cursor& at, Prefix* prefix) {
  const std::size_t begin = at.position();
  int number = 0;
  const bool rank = at.Take("[rank");
  if (rank || at.Take("[default")) {
    if (at.TakeNumber(1, 6, &number) && at.Take(']') &&
        (at.Peek() == ':' || at.Peek() == ' ' || at.Peek() == '[')) {
      // "[default0]" counts within its node.
      if (rank) prefix->rank = number;
      at.Take(':');
      at.SkipBlanks();
      return true;
    }
  } else if (at.Take('[')) {
    int job = 0;
    if (at.TakeNumber(1, 6, &job)) {
      if (at.Take(']') && at.Take(':')) {
        prefix->rank = job;
        at.SkipBlanks();
        return true;
      }
      if (at.Take(',') && at.TakeNumber(1, 6, &number) && at.Take("]<std")) {
        const std::size_t close = at.rest().find(">:");
        if (close != std::string_view::npos && close < 6) {
          prefix->rank = number;
          at.Reset(at.position() + close + 2);
          at.SkipBlanks();
          return true;
        }
      }
    }
  } else if (at.Take('(')) {
    const std::string_view actor = at.rest().substr(0, 160);
    const std::size_t close = actor.find(')');
    if (close != std::string_view::npos &&
        actor.substr(0, close).find(" pid=") != std::string_view::npos) {
      at.Reset(at.position() + close + 1);
      at.SkipBlanks();
      return true;
    }
  }
  at.Reset(begin);
  return false;
}

bool IsLabelChar(char c) { return IsDigit(c) || (c >= 'a' && c <= 'z') || c == '-' || c == '.'; }

// What launchers put in front of each line: pdsh, mpirun and Ray's "worker-3: ", srun --label's
// "3: ". A name has a digit and no capital, so that "error: " and "KeyError: " are the program's.
bool TakeLauncherLabel(Cursor& at, Prefix* prefix) {
  const std::size_t begin = at.position();
  const std::string_view label = at.TakeWhile(IsLabelChar);
  const bool number = std::all_of(label.begin(), label.end(), IsDigit);
  const bool name = std::any_of(label.begin(), label.end(), IsDigit) && label.size() >= 4 &&
                    label.front() >= 'a' && label.front() <= 'z' && !label.starts_with("python");
  // Three digits are an HTTP status more often than a rank.
  if (label.empty() || !(number ? label.size() <= 2 || label.size() == 4 : name) ||
      !at.Take(": ")) {
    at.Reset(begin);
    return false;
  }
  if (!number) {
    prefix->node = label;
  } else if (int rank = 0;
             std::from_chars(label.data(), label.data() + label.size(), rank).ec == std::errc()) {
    prefix->rank = rank;
  }
  return true;
}

}  // namespace

Prefix ReadPrefix(std::string_view line, Source source, std::optional<Time> about) {
  Prefix prefix;
  Cursor at(line);
  switch (source) {
    case Source::kKernel:
    case Source::kSyslog:
    case Source::kKubelet:
      TakeSystemPrefix(at, source, about, &prefix);
      break;
    default:
      if (const auto iso = TakeIso(at)) {
        prefix.clock = Clock::kAbsolute;
        prefix.time = *iso;
      }
      if (source != Source::kAppLog) break;
      // Files that the container runtime wrote: "TIME stderr F message".
      if (prefix.clock != Clock::kNone && !at.Take("stdout F ") && !at.Take("stderr F ") &&
          !at.Take("stdout P ")) {
        at.Take("stderr P ");
      }
      if (prefix.clock == Clock::kNone) TakeLauncherLabel(at, &prefix);
      while (TakeRank(at, &prefix)) {
      }
      // torchrun's tags stand before the program's own time.
      if (prefix.clock == Clock::kNone) {
        if (const auto iso = TakeIso(at)) {
          prefix.clock = Clock::kAbsolute;
          prefix.time = *iso;
        }
      }
      if (prefix.clock == Clock::kNone) ReadTimeOfProgram(at, about, &prefix);
      break;
  }
  prefix.message = at.position();
  return prefix;
}

bool MayHaveTime(std::string_view line, Source source) {
  if (source != Source::kAppLog || line.empty()) return !line.empty();
  const auto begins_time = [](char c) {
    return IsDigit(c) || c == '[' || c == '(' || c == 'I' || c == 'W' || c == 'E' || c == 'F' ||
           c == '\x1b';
  };
  if (begins_time(line.front())) return true;
  // A launcher's "worker-3: " may stand in front of it.
  std::size_t end = 0;
  while (end < line.size() && IsLabelChar(line[end])) ++end;
  return end > 0 && line.substr(end).starts_with(": ") && end + 2 < line.size() &&
         begins_time(line[end + 2]);
}

std::string NcclHost(std::string_view message) {
  std::size_t end = 0;
  while (end < message.size() && IsHostChar(message[end])) ++end;
  if (end == 0 || end >= message.size() || message[end] != ':') return {};
  Cursor at(message);
  at.Reset(end + 1);
  int number = 0;
  if (!at.TakeNumber(1, 9, &number) || !at.Take(':') || !at.TakeNumber(1, 9, &number) ||
      !at.Take(" [")) {
    return {};
  }
  return std::string(message.substr(0, end));
}

}  // namespace engine
