// SPDX-License-Identifier: Apache-2.0
#include "operator/saved_logs/log_name.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <utility>
#include <vector>

namespace app {
namespace {

using engine::Source;

constexpr std::array<std::pair<std::string_view, Source>, 19> kSourceWords{{
    {"applog", Source::kAppLog},
    {"kern", Source::kKernel},
    {"kernel", Source::kKernel},
    {"dmesg", Source::kKernel},
    {"kmsg", Source::kKernel},
    {"syslog", Source::kSyslog},
    {"messages", Source::kSyslog},
    {"journal", Source::kSyslog},
    {"kubelet", Source::kKubelet},
    {"event", Source::kEvent},
    {"events", Source::kEvent},
    {"podstatus", Source::kPodStatus},
    {"nodecondition", Source::kNodeCondition},
    {"nodeconditions", Source::kNodeCondition},
    {"nodemetric", Source::kNodeMetric},
    {"nodemetrics", Source::kNodeMetric},
    {"scheduler", Source::kScheduler},
    {"slurmctld", Source::kScheduler},
    {"kueue", Source::kScheduler},
}};

// Folders that are named after what they hold.
constexpr std::array<std::string_view, 18> kPlainFolders{
    "log",  "logs", "var", "tmp",   "data", "out", "output",  "outputs",   "results",
    "home", "root", "run", "files", "dump", "sos", "journal", "artifacts", "downloads"};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsWordCharacter(char c) { return IsDigit(c) || (c >= 'a' && c <= 'z'); }

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

// Without compression, rotation and plain text endings: "kern.log.2.gz" -> "kern".
std::string_view Stem(std::string_view name) {
  while (true) {
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos || dot == 0) return name;
    const std::string ending = Lower(name.substr(dot + 1));
    const bool number =
        !ending.empty() && ending.size() <= 8 && std::all_of(ending.begin(), ending.end(), IsDigit);
    constexpr std::array<std::string_view, 6> kEndings{"gz", "zst", "log", "txt", "out", "err"};
    if (!number && std::find(kEndings.begin(), kEndings.end(), ending) == kEndings.end()) {
      return name;
    }
    name = name.substr(0, dot);
  }
}

struct Word {
  std::size_t begin = 0;
  std::string_view text;
};

std::vector<Word> Words(std::string_view lower) {
  std::vector<Word> words;
  std::size_t i = 0;
  while (i < lower.size()) {
    while (i < lower.size() && !IsWordCharacter(lower[i])) ++i;
    const std::size_t begin = i;
    while (i < lower.size() && IsWordCharacter(lower[i])) ++i;
    if (i > begin) words.push_back({begin, lower.substr(begin, i - begin)});
  }
  return words;
}

// One word, or two that are written apart: node-metrics, pod-status.
std::optional<Source> SourceOf(const std::vector<Word>& words, std::size_t i) {
  std::string pair;
  if (i > 0 && (words[i - 1].text == "node" || words[i - 1].text == "pod")) {
    pair = std::string(words[i - 1].text) + std::string(words[i].text);
  }
  for (const auto& [name, source] : kSourceWords) {
    if (words[i].text == name || pair == name) return source;
  }
  return std::nullopt;
}

// "rank3" in one word, or "rank" with the number in the next.
std::optional<int> RankOf(const std::vector<Word>& words, std::size_t i) {
  std::string_view text = words[i].text;
  if (!text.starts_with("rank")) return std::nullopt;
  text.remove_prefix(4);
  if (text.empty() && i + 1 < words.size()) text = words[i + 1].text;
  if (text.empty() || text.size() > 7) return std::nullopt;
  int rank = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return rank;
}

}  // namespace

bool IsNodeLog(Source source) {
  switch (source) {
    case Source::kKernel:
    case Source::kSyslog:
    case Source::kKubelet:
    case Source::kNodeCondition:
    case Source::kNodeMetric:
      return true;
    case Source::kAppLog:
    case Source::kPodStatus:
    case Source::kEvent:
    case Source::kScheduler:
      break;
  }
  return false;
}

LogName ReadLogName(std::string_view path) {
  const std::filesystem::path parts(path);
  const std::string name = parts.filename().string();
  const std::string_view stem = Stem(name);
  const std::string lower = Lower(stem);
  const std::vector<Word> words = Words(lower);

  LogName result;
  std::size_t node_end = 0;  // where the first source or rank that follows a dot begins
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::optional<Source> source = SourceOf(words, i);
    const std::optional<int> rank = RankOf(words, i);
    if (source) result.source = source;
    if (rank) result.rank = rank;
    const std::size_t begin = words[i].begin;
    const bool of_a_node = rank || (source && (IsNodeLog(*source) || *source == Source::kAppLog));
    if (of_a_node && node_end == 0 && begin > 1 && stem[begin - 1] == '.') node_end = begin - 1;
  }
  if (node_end > 0) result.node = stem.substr(0, node_end);

  const std::string folder = parts.parent_path().filename().string();
  const std::string lower_folder = Lower(folder);
  const bool plain =
      folder.empty() || folder[0] == '.' ||
      std::find(kPlainFolders.begin(), kPlainFolders.end(), lower_folder) != kPlainFolders.end();
  if (!plain) result.folder = folder;
  return result;
}

}  // namespace app
