// SPDX-License-Identifier: Apache-2.0
#include "controllers/evidence/event_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "controllers/evidence/pause.h"
#include "controllers/status/resources.h"

namespace controllers {
namespace {

using kube::Json;

const kube::Resource kEvents{"", "v1", "events", "Event", true};
// For so few objects the server is asked for theirs alone.
constexpr std::size_t kFewObjects = 4;
constexpr std::size_t kMaxEventsPerRequest = 2000;
constexpr char kNode[] = "Node";

}  // namespace

EventReader::EventReader(kube::Client& client, const LogTiming& timing)
    : client_(client),
      timing_(timing),
      thread_([this](const std::stop_token& stop) { Run(stop); }) {}

EventReader::~EventReader() = default;

std::string EventReader::SubjectOf(const Json& event) {
  if (kube::StringAt(event, "/involvedObject/kind") == kNode) {
    return SubjectOfNode(kube::StringAt(event, "/involvedObject/name"));
  }
  return kube::StringAt(event, "/involvedObject/uid");
}

void EventReader::Read(const std::string& name_space, std::set<std::string> uids, Done done) {
  Ask({name_space, false}, {std::move(uids), std::move(done)});
}

void EventReader::ReadOfNodes(const std::set<std::string>& nodes, Done done) {
  std::set<std::string> subjects;
  for (const std::string& node : nodes) subjects.insert(SubjectOfNode(node));
  Ask({"default", true}, {std::move(subjects), std::move(done)});
}

void EventReader::Ask(Place place, Asked asked) {
  const std::lock_guard lock(mutex_);
  asked_[std::move(place)].push_back(std::move(asked));
  changed_.notify_all();
}

void EventReader::Run(const std::stop_token& stop) {
  while (true) {
    Place place;
    std::vector<Asked> asked;
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [&] { return !asked_.empty(); })) return;
      auto first = asked_.extract(asked_.begin());
      place = first.key();
      asked = std::move(first.mapped());
    }
    Serve(place, asked, stop);
  }
}

void EventReader::Serve(const Place& place, std::vector<Asked>& asked,
                        const std::stop_token& stop) {
  const auto give_up = std::chrono::steady_clock::now() + timing_.server_away;
  std::chrono::milliseconds retry = timing_.first_retry;
  std::vector<Answer> answers;
  while (true) {
    answers.assign(asked.size(), {});
    try {
      List(place, asked, answers, stop);
      break;
    } catch (const kube::ApiError& error) {
      if (error.IsCancelled()) return;
      const bool away = error.reason == kube::ErrorReason::kUnavailable ||
                        error.reason == kube::ErrorReason::kTimeout ||
                        error.reason == kube::ErrorReason::kTooManyRequests ||
                        error.reason == kube::ErrorReason::kGone;
      if (away && std::chrono::steady_clock::now() < give_up) {
        if (!Pause(stop, retry)) return;
        retry = std::min(2 * retry, timing_.last_retry);
        continue;
      }
      const bool forbidden = error.IsForbidden();
      for (Answer& answer : answers) {
        answer.gap = {forbidden ? "Forbidden" : "EventsUnavailable", error.what(),
                      forbidden ? engine::Coverage::kForbidden : engine::Coverage::kMissing};
      }
      break;
    }
  }
  for (std::size_t i = 0; i < asked.size(); ++i) asked[i].done(answers[i]);
}

void EventReader::List(const Place& place, std::vector<Asked>& asked, std::vector<Answer>& answers,
                       const std::stop_token& stop) {
  std::set<std::string> subjects;
  for (const Asked& one : asked) subjects.insert(one.subjects.begin(), one.subjects.end());
  const auto sort_in = [&](const Json& event) {
    if (kube::StringAt(event, "/reportingComponent") == kOperatorName) return;
    const std::string subject = SubjectOf(event);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      if (!asked[i].subjects.contains(subject)) continue;
      Answer& answer = answers[i];
      if (answer.events.size() < kMaxEventsPerRequest) {
        answer.events.push_back(event);
      } else {
        answer.gap = {"TooManyEvents",
                      place.of_nodes ? "Only the first 2000 Events about its nodes were read."
                                     : "Only the first 2000 Events about the workload were read.",
                      engine::Coverage::kPartial};
      }
    }
  };
  kube::ListOptions list{.name_space = place.name_space,
                         .label_selector = {},
                         .field_selector = {},
                         .resource_version = {}};
  if (place.of_nodes) list.field_selector = fmt::format("involvedObject.kind={}", kNode);
  if (subjects.size() > kFewObjects) {
    client_.List(kEvents, list, sort_in, {.stop = stop});
    return;
  }
  const std::string all = list.field_selector;
  for (const std::string& subject : subjects) {
    list.field_selector = place.of_nodes ? fmt::format("{},involvedObject.name={}", all,
                                                       subject.substr(SubjectOfNode({}).size()))
                                         : "involvedObject.uid=" + subject;
    client_.List(kEvents, list, sort_in, {.stop = stop});
  }
}

}  // namespace controllers
