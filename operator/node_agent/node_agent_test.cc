// SPDX-License-Identifier: Apache-2.0
#include "operator/node_agent/node_agent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <nlohmann/json.hpp>
#include <vector>

namespace app {
namespace {

using Json = nlohmann::json;

const engine::Time kNow = *engine::ParseRfc3339("2026-12-01T04:00:00Z");

// Faults that a real kernel can't be made to show: an overrun, bytes that are no UTF-8.
class Script final : public RecordSource {
 public:
  // Stops the agent after the last one. The clock shows the time of what was read last.
  Script(std::deque<std::pair<Event, KernelRecord>> events, std::stop_source* stop,
         engine::Time* now)
      : events_(std::move(events)), stop_(stop), now_(now) {}

  Event Next(KernelRecord* record, std::chrono::milliseconds) override {
    const auto [event, next] = events_.front();
    events_.pop_front();
    if (events_.empty()) stop_->request_stop();
    *record = next;
    if (event == Event::kRecord) *now_ = next.time;
    return event;
  }
  const std::string& boot_id() const override { return boot_id_; }

 private:
  std::deque<std::pair<Event, KernelRecord>> events_;
  std::stop_source* stop_;
  engine::Time* now_;
  std::string boot_id_ = "b";
};

// Read at the moment that each record bears.
std::vector<Json> LinesOf(std::deque<std::pair<RecordSource::Event, KernelRecord>> events) {
  std::stop_source stop;
  engine::Time now = kNow;
  Script script(std::move(events), &stop, &now);
  std::vector<Json> lines;
  RunNodeAgent(
      script, "kmsg", stop.get_token(), [&now] { return now; },
      [&](std::string_view line) {
        EXPECT_EQ(line.back(), '\n');
        lines.push_back(Json::parse(line));
      });
  return lines;
}

TEST(NodeAgentTest, PrintsRecordsAndSaysWhenItHasCaughtUp) {
  const KernelRecord xid{.boot_id = "b",
                         .seq = 7,
                         .time = kNow,
                         .priority = 3,
                         .facility = 0,
                         .transport = "kmsg",
                         .message = "NVRM: Xid (PCI:0000:3b:00): 79"};
  const auto lines =
      LinesOf({{RecordSource::Event::kRecord, xid},
               {RecordSource::Event::kIdle, {}},
               {RecordSource::Event::kOverrun, {.time = kNow - std::chrono::hours(1)}}});
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0]["kind"], "start");
  EXPECT_EQ(lines[0]["mode"], "kmsg");
  EXPECT_EQ(lines[1],
            Json::parse(R"({"v": 1, "bootID": "b", "seq": 7, "time": "2026-12-01T04:00:00Z",
                            "priority": 3, "facility": 0, "transport": "kmsg",
                            "message": "NVRM: Xid (PCI:0000:3b:00): 79"})"));
  EXPECT_EQ(lines[2]["kind"], "caughtUp");
  EXPECT_EQ(lines[3]["kind"], "overrun");
  EXPECT_EQ(lines[3]["time"], "2026-12-01T03:00:00Z") << "up to when records are gone";
}

TEST(NodeAgentTest, SaysHowManyItDroppedThoughTheKernelNeverRests) {
  std::deque<std::pair<RecordSource::Event, KernelRecord>> events;
  const auto flood = [&](int count, std::chrono::milliseconds at) {
    for (int i = 0; i < count; ++i) {
      events.push_back({RecordSource::Event::kRecord,
                        {.boot_id = "b", .seq = events.size(), .time = kNow + at}});
    }
  };
  flood(5'000, std::chrono::milliseconds(0));
  flood(10, std::chrono::milliseconds(0));
  flood(60, std::chrono::milliseconds(999));
  flood(1, std::chrono::milliseconds(1'001));
  flood(60, std::chrono::milliseconds(1'500));
  std::vector<std::pair<std::string, std::uint64_t>> dropped;
  for (const Json& line : LinesOf(std::move(events))) {
    if (line.value("kind", "") == "dropped") dropped.push_back({line["time"], line["count"]});
  }
  EXPECT_THAT(dropped, testing::ElementsAre(testing::Pair("2026-12-01T04:00:00Z", 1),
                                            testing::Pair("2026-12-01T04:00:01.001Z", 20),
                                            testing::Pair("2026-12-01T04:00:01.500Z", 35)));
}

TEST(NodeAgentTest, SaysHowManyItDroppedWhenTheFloodIsOver) {
  std::deque<std::pair<RecordSource::Event, KernelRecord>> events;
  for (std::uint64_t i = 0; i < 5'010; ++i) {
    events.push_back({RecordSource::Event::kRecord, {.boot_id = "b", .seq = i, .time = kNow}});
  }
  events.push_back({RecordSource::Event::kIdle, {}});
  const auto lines = LinesOf(std::move(events));
  EXPECT_EQ(lines.back()["kind"], "dropped");
  EXPECT_EQ(lines.back()["count"], 9) << "after the first, which was told of at once";
}

TEST(NodeAgentTest, BytesThatAreNoTextStayOneLine) {
  const auto lines =
      LinesOf({{RecordSource::Event::kRecord,
                {.boot_id = "b", .seq = 1, .time = kNow, .message = "a\xff\n\x01z"}}});
  EXPECT_EQ(lines[1]["message"], "a\xEF\xBF\xBD\n\x01z");
}

TEST(DashedBootIdTest, IsWrittenAsNodesHaveIt) {
  EXPECT_EQ(DashedBootId("0123456789abcdef0123456789abcdef"),
            "01234567-89ab-cdef-0123-456789abcdef");
  EXPECT_EQ(DashedBootId("x"), "x");
}

}  // namespace
}  // namespace app
