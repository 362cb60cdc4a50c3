// SPDX-License-Identifier: Apache-2.0
#include "operator/saved_logs/date_in_text.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <string>

namespace app {
namespace {

constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";

void Later(const std::string& rfc3339, std::optional<engine::Time>& latest) {
  const auto time = engine::ParseRfc3339(rfc3339);
  if (time && (!latest || *time > *latest)) latest = time;
}

}  // namespace

std::optional<engine::Time> LatestDateIn(std::string_view text) {
  static const RE2 iso(R"(\b(\d{4}-\d\d-\d\d)[T _](\d\d:\d\d:\d\d))");
  static const RE2 calendar(R"(\b([A-Z][a-z]{2}) +(\d{1,2}) (\d\d:\d\d:\d\d) (\d{4})\b)");
  std::optional<engine::Time> latest;
  std::string date;
  std::string clock;
  re2::StringPiece rest(text.data(), text.size());
  while (RE2::FindAndConsume(&rest, iso, &date, &clock)) Later(date + "T" + clock + "Z", latest);
  std::string month;
  int day = 0;
  std::string year;
  rest = re2::StringPiece(text.data(), text.size());
  while (RE2::FindAndConsume(&rest, calendar, &month, &day, &clock, &year)) {
    const std::size_t at = kMonths.find(month);
    if (at == std::string_view::npos || at % 3 != 0) continue;
    Later(fmt::format("{}-{:02}-{:02}T{}Z", year, at / 3 + 1, day, clock), latest);
  }
  return latest;
}

}  // namespace app
