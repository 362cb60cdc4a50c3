// SPDX-License-Identifier: Apache-2.0
#include "controllers/attribution/verdict_announcement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace controllers {
namespace {

using kube::Json;
using testing::ElementsAre;

class Recorder final : public kube::EventRecorder {
 public:
  void Event(const Json& regarding, kube::EventType type, const std::string& reason,
             const std::string& /*action*/, const std::string& note) override {
    told.push_back(kube::StringAt(regarding, "/kind") +
                   (type == kube::EventType::kWarning ? " Warning " : " Normal ") + reason + ": " +
                   note);
  }
  void Flush(std::chrono::milliseconds /*timeout*/) override {}
  std::vector<std::string> told;
};

Json Gap(const char* source, const char* object, const char* reason, const char* message) {
  return {{"source", source}, {"object", object}, {"reason", reason}, {"message", message}};
}

TEST(VerdictAnnouncementTest, EachMissingRightOnce) {
  const auto metrics = kube::NewMetricsRegistry();
  Recorder events;
  const Json verdict{{"result", "Unknown"}, {"domain", "Unknown"}, {"message", "Nobody knows."}};
  const Json gaps =
      Json::array({Gap("AppLog", "pod/1", "Forbidden", "get pods/log ns/1: 403 Forbidden"),
                   Gap("AppLog", "pod/2", "Forbidden", "get pods/log ns/2: 403 Forbidden"),
                   Gap("Event", "events", "Forbidden", "list events ns: 403 Forbidden"),
                   Gap("Kernel", "node/n1", "AgentMissing", "No pod is on node n1.")});
  AnnounceVerdict(events, *metrics,
                  {{"metadata", {{"namespace", "ns"}, {"name", "a"}}},
                   {"spec", {{"workload", {{"kind", "Job"}, {"name", "j"}}}}},
                   {"status", {{"gaps", gaps}}}},
                  verdict);
  EXPECT_THAT(
      events.told,
      ElementsAre("Job Normal Attributed: Unknown, Unknown: Nobody knows. See Attribution a.",
                  "Attribution Warning Forbidden: get pods/log ns/1: 403 Forbidden",
                  "Attribution Warning Forbidden: list events ns: 403 Forbidden"));
}

}  // namespace
}  // namespace controllers
