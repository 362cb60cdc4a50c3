// SPDX-License-Identifier: Apache-2.0
#include "operator/saved_logs/log_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "operator/saved_logs/log_name.h"
#include "operator/visible_text.h"

namespace app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxLogs = 100'000;

// All plain files below `folder`, sorted by path.
bool FindFiles(const std::string& folder, std::vector<std::string>& files, std::string* error) {
  std::error_code code;
  fs::recursive_directory_iterator walk(folder, code);
  const fs::recursive_directory_iterator end;
  std::vector<std::string> found;
  while (!code && walk != end) {
    const fs::directory_entry& entry = *walk;
    if (entry.path().filename().string().starts_with('.')) {
      walk.disable_recursion_pending();
    } else {
      std::error_code ignored;  // a dangling link is no plain file
      if (entry.is_regular_file(ignored)) found.push_back(entry.path().string());
    }
    if (files.size() + found.size() > kMaxLogs) {
      *error = fmt::format("{}: more than {} files; pass the folders that matter",
                           VisibleText(folder), kMaxLogs);
      return false;
    }
    walk.increment(code);
  }
  if (code) {
    *error = fmt::format("{}: the folder cannot be read: {}", VisibleText(folder), code.message());
    return false;
  }
  if (found.empty()) {
    *error = fmt::format("{}: no files in this folder", VisibleText(folder));
    return false;
  }
  std::sort(found.begin(), found.end());
  files.insert(files.end(), found.begin(), found.end());
  return true;
}

}  // namespace

std::optional<std::vector<SavedLog>> ListSavedLogs(const std::vector<std::string>& paths,
                                                   const LogHints& hints, std::string* error) {
  std::vector<SavedLog> logs;
  std::vector<LogName> names;
  std::set<std::string> seen;
  const auto add = [&](const std::string& path, bool asked_for) {
    if (!seen.insert(path).second) return;
    LogName name = path == "-" ? LogName{} : ReadLogName(path);
    logs.push_back({.path = path,
                    .source = hints.source ? hints.source : name.source,
                    .node = hints.node.empty() ? name.node : hints.node,
                    .rank = name.rank,
                    .asked_for = asked_for});
    names.push_back(std::move(name));
  };
  for (const std::string& path : paths) {
    std::error_code code;
    if (path != "-" && fs::is_directory(path, code)) {
      std::vector<std::string> files;
      if (!FindFiles(path, files, error)) return std::nullopt;
      for (const std::string& file : files) add(file, false);
    } else {
      add(path, true);
    }
  }

  // A folder with a node's log in it carries the node's name.
  std::set<std::string> node_folders;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    if (!names[i].folder.empty() && names[i].node.empty() && names[i].source &&
        IsNodeLog(*names[i].source)) {
      node_folders.insert(fs::path(logs[i].path).parent_path().string());
    }
  }
  for (std::size_t i = 0; i < logs.size(); ++i) {
    if (logs[i].node.empty() &&
        node_folders.contains(fs::path(logs[i].path).parent_path().string())) {
      logs[i].node = names[i].folder;
    }
  }
  return logs;
}

}  // namespace app
