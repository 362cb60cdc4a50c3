// SPDX-License-Identifier: Apache-2.0
// Events about given objects, read when they are asked for: an informer of all Events would cost
// more memory than all else, and they are needed a few times per failed workload.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "controllers/evidence/pod_log_reader.h"
#include "kube/client.h"

namespace controllers {

// Thread-safe. Requests for one namespace that come while another is under way share the next list.
class EventReader {
 public:
  // core/v1 Events whose involvedObject is one of the asked for; or why they can't be read.
  struct Answer {
    std::vector<kube::Json> events;
    std::optional<LogGap> gap;
  };
  using Done = std::function<void(const Answer&)>;

  // The client must outlive it.
  EventReader(kube::Client& client, const LogTiming& timing);
  // What is still asked for is never answered.
  ~EventReader();
  EventReader(const EventReader&) = delete;
  EventReader& operator=(const EventReader&) = delete;

  // Calls `done` once, from the reader's thread; it must not block for long.
  void Read(const std::string& name_space, std::set<std::string> uids, Done done);

 private:
  struct Asked {
    std::set<std::string> uids;
    Done done;
  };
  void Run(const std::stop_token& stop);
  void Serve(const std::string& name_space, std::vector<Asked>& asked, const std::stop_token& stop);
  void List(const std::string& name_space, std::vector<Asked>& asked, std::vector<Answer>& answers,
            const std::stop_token& stop);

  kube::Client& client_;
  const LogTiming timing_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::string, std::vector<Asked>> asked_;  // by namespace; guarded by mutex_
  std::jthread thread_;                              // last: ends first
};

}  // namespace controllers
