// SPDX-License-Identifier: Apache-2.0
// Events about given objects, read when they are asked for: an informer of all Events would cost
// more memory than all else, and they are needed a few times per failed workload.
#pragma once

#include <compare>
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
  // What an Event is about, as it is asked for: a UID. Of a Node "node/NAME": its kubelet puts the
  // name in the UID's place, other writers the UID.
  static std::string SubjectOf(const kube::Json& event);
  static std::string SubjectOfNode(const std::string& node) { return "node/" + node; }

  // core/v1 Events whose involvedObject is one of the asked for, but for the operator's own: a
  // verdict is no evidence for the next. Or why they can't be read.
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
  // The same for Nodes, by name: Events about what has no namespace are in the namespace default.
  void ReadOfNodes(const std::set<std::string>& nodes, Done done);

 private:
  struct Asked {
    std::set<std::string> subjects;
    Done done;
  };
  struct Place {
    std::string name_space;
    bool of_nodes = false;
    auto operator<=>(const Place&) const = default;
  };
  void Ask(Place place, Asked asked);
  void Run(const std::stop_token& stop);
  void Serve(const Place& place, std::vector<Asked>& asked, const std::stop_token& stop);
  void List(const Place& place, std::vector<Asked>& asked, std::vector<Answer>& answers,
            const std::stop_token& stop);

  kube::Client& client_;
  const LogTiming timing_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<Place, std::vector<Asked>> asked_;  // guarded by mutex_
  std::jthread thread_;                        // last: ends first
};

}  // namespace controllers
