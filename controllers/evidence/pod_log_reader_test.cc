// SPDX-License-Identifier: Apache-2.0
#include "controllers/evidence/pod_log_reader.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "controllers/evidence/scripted_api.h"

namespace controllers {
namespace {

using namespace std::chrono_literals;
using engine::Coverage;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const engine::Time kStart = *engine::ParseRfc3339("2026-12-01T04:00:00Z");

constexpr LogTiming kFast{.idle = 10ms,
                          .sealed_quiet = 30ms,
                          .ended_quiet = 2000ms,
                          .first_retry = 1ms,
                          .last_retry = 5ms,
                          .server_away = 60ms,
                          .node_away = 30ms,
                          .end_wait = 500ms};

std::string Line(int number, const std::string& text = "step") {
  return fmt::format("{} {} {}", engine::FormatTime(kStart + number * 100ms), text, number);
}

class Sink final : public LogSink {
 public:
  void Lines(std::string_view bytes) override {
    const std::lock_guard lock(mutex);
    text += bytes;
  }
  void End(Coverage end, const std::vector<LogGap>& end_gaps) override {
    const std::lock_guard lock(mutex);
    EXPECT_FALSE(coverage.has_value()) << "ended twice";
    coverage = end;
    gaps = end_gaps;
  }
  std::vector<std::string> Taken() {
    const std::lock_guard lock(mutex);
    std::vector<std::string> lines;
    LineBuffer buffer;
    buffer.Feed(text, [&](std::string_view line) { lines.emplace_back(line); });
    EXPECT_THAT(buffer.rest(), IsEmpty());
    return lines;
  }
  std::vector<std::string> Reasons() {
    const std::lock_guard lock(mutex);
    std::vector<std::string> reasons;
    for (const LogGap& gap : gaps) reasons.push_back(gap.reason);
    return reasons;
  }
  bool Ended() {
    const std::lock_guard lock(mutex);
    return coverage.has_value();
  }

  std::mutex mutex;
  std::string text;
  std::optional<Coverage> coverage;
  std::vector<LogGap> gaps;
};

template <typename Condition>
bool Eventually(const Condition& condition) {
  for (int i = 0; i < 5000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(1ms);
  }
  return false;
}

class PodLogReaderTest : public testing::Test {
 protected:
  void Start(PodLogTarget target = {}) {
    target.pod = {"ns", "p"};
    target.container = "main";
    if (target.max_bytes == 0) target.max_bytes = 16 << 20;
    if (!target.start) target.start = kStart;
    reader_ = std::make_unique<PodLogReader>(api_, target, budget_, sink_, kFast);
    ticket_ = slots_.Add("n1", LogSlots::Priority::kUnread,
                         [this](LogSlots::Turn& turn) { return reader_->Read(turn); });
  }
  void EndRun() {
    reader_->RunEnded();
    ticket_->Wake(LogSlots::Priority::kFailed);
  }
  bool WaitForLines(std::size_t count) {
    return Eventually([&] { return sink_.Taken().size() >= count; });
  }
  bool WaitForEnd() {
    return Eventually([&] { return sink_.Ended(); });
  }

  ScriptedApi api_;
  std::unique_ptr<kube::MetricsRegistry> metrics_ = kube::NewMetricsRegistry();
  LogSlots slots_{8, 8, *metrics_};
  ByteBudget budget_{1LL << 32};
  Sink sink_;
  std::unique_ptr<PodLogReader> reader_;
  std::unique_ptr<LogSlots::Ticket> ticket_;
};

TEST_F(PodLogReaderTest, ReadsToTheEndAndFollows) {
  ScriptedLog& log = api_.Log("ns/p/main");
  log.Append(Line(1));
  Start();
  ASSERT_TRUE(WaitForLines(1));
  log.Append(Line(2));
  ASSERT_TRUE(WaitForLines(2));
  log.AppendUnfinished(Line(3, "no newline at end"));
  log.End();
  EndRun();
  ASSERT_TRUE(WaitForEnd());
  EXPECT_THAT(sink_.Taken(), ElementsAre(Line(1), Line(2), Line(3, "no newline at end")));
  EXPECT_EQ(sink_.coverage, Coverage::kComplete);
  EXPECT_THAT(sink_.gaps, IsEmpty());
}

TEST_F(PodLogReaderTest, AnEmptyLogIsComplete) {
  api_.Log("ns/p/main").End();
  Start();
  EndRun();
  ASSERT_TRUE(WaitForEnd());
  EXPECT_EQ(sink_.coverage, Coverage::kComplete);
}

TEST_F(PodLogReaderTest, EachLineOnceWhereverTheStreamIsCut) {
  std::vector<std::string> lines;
  lines.reserve(40);
  for (int i = 0; i < 40; ++i) lines.push_back(Line(i));
  for (std::size_t cut = 1; cut < 1000; cut += 97) {
    ScriptedApi api;
    ScriptedLog& log = api.Log("ns/p/main");
    for (const std::string& line : lines) log.Append(line);
    log.End();
    // A cut every so many bytes never gets over two seconds' lines at once: progress needs more.
    log.CutAfter(1400 + cut);
    Sink sink;
    PodLogReader reader(api, {{"ns", "p"}, "main", false, kStart, 1 << 20}, budget_, sink, kFast);
    reader.RunEnded();
    const auto ticket = slots_.Add("n1", LogSlots::Priority::kUnread,
                                   [&](LogSlots::Turn& turn) { return reader.Read(turn); });
    ASSERT_TRUE(Eventually([&] { return sink.Ended(); })) << cut;
    EXPECT_EQ(sink.Taken(), lines) << cut;
    EXPECT_EQ(sink.coverage, Coverage::kComplete);
  }
}

TEST_F(PodLogReaderTest, AStreamThatEndsWhileTheContainerRunsIsOpenedAgain) {
  ScriptedLog& log = api_.Log("ns/p/main");
  log.Append(Line(1));
  log.End();  // as when the API server is told to stop
  Start();
  ASSERT_TRUE(Eventually([&] { return log.opened() >= 2; }));
  EXPECT_FALSE(sink_.Ended());
  log.Append(Line(2));
  EndRun();
  ASSERT_TRUE(WaitForEnd());
  EXPECT_THAT(sink_.Taken(), ElementsAre(Line(1), Line(2)));
}

TEST_F(PodLogReaderTest, APodThatWasDeleted) {
  ScriptedLog& log = api_.Log("ns/p/main");
  log.Append(Line(1));
  Start();
  ASSERT_TRUE(WaitForLines(1));
  std::atomic<bool> gone{false};
  api_.SetFault([&](const std::string&, const std::string& resource, const std::string&) {
    if (resource == "pods/log" && gone) {
      throw kube::ApiError(kube::ErrorReason::kNotFound, 404, "pods \"p\" not found");
    }
  });
  gone = true;
  log.Cut();
  ASSERT_TRUE(WaitForEnd());
  EXPECT_EQ(sink_.coverage, Coverage::kPartial);
  EXPECT_THAT(sink_.Reasons(), ElementsAre("PodDeleted"));
  api_.SetFault(nullptr);
}

TEST_F(PodLogReaderTest, APodThatWasNeverThere) {
  Start();
  ASSERT_TRUE(WaitForEnd());
  EXPECT_EQ(sink_.coverage, Coverage::kMissing);
  EXPECT_THAT(sink_.Reasons(), ElementsAre("PodDeleted"));
}

TEST_F(PodLogReaderTest, ALogWhoseBeginningWasRotatedAwayIsPartial) {
  ScriptedLog& log = api_.Log("ns/p/main");
  log.Append(Line(1));
  log.Rotate();
  log.Append(Line(3000));  // five minutes after the start
  log.End();
  Start();
  EndRun();
  ASSERT_TRUE(WaitForEnd());
  EXPECT_EQ(sink_.coverage, Coverage::kPartial);
  EXPECT_THAT(sink_.Reasons(), ElementsAre("LogRotated"));
  EXPECT_THAT(sink_.gaps[0].message, HasSubstr("2026-12-01T04:05:00Z"));
}

TEST_F(PodLogReaderTest, SoIsAFullLogFileThatBeginsALittleLater) {
  const std::string text(60'000, 'x');
  for (const int lines : {20, 150}) {  // 1.2 and 9 MB
    ScriptedLog& log = api_.Log("ns/p" + std::to_string(lines) + "/main");
    for (int i = 0; i < lines; ++i) log.Append(Line(30 + i, text));  // from three seconds on
    log.End();
    Sink sink;
    PodLogReader reader(api_,
                        {{"ns", "p" + std::to_string(lines)}, "main", false, kStart, 64 << 20},
                        budget_, sink, kFast);
    const auto ticket = slots_.Add("n1", LogSlots::Priority::kUnread,
                                   [&](LogSlots::Turn& turn) { return reader.Read(turn); });
    reader.RunEnded();
    ASSERT_TRUE(Eventually([&] { return sink.Ended(); }));
    EXPECT_EQ(sink.coverage, lines == 20 ? Coverage::kComplete : Coverage::kPartial);
  }
}

TEST_F(PodLogReaderTest, SoIsAShortOneWhosePaceWouldHaveFilledTheOneBefore) {
  const std::string text(60'000, 'x');
  for (const int step : {0, 3}) {  // 4.2 MB, in a burst or in 21 seconds, a minute after the start
    const std::string pod = "p" + std::to_string(step);
    ScriptedLog& log = api_.Log("ns/" + pod + "/main");
    for (int i = 0; i < 70; ++i) log.Append(Line(600 + i * step, text));
    log.End();
    Sink sink;
    PodLogReader reader(api_, {{"ns", pod}, "main", false, kStart, 64 << 20}, budget_, sink, kFast);
    const auto ticket = slots_.Add("n1", LogSlots::Priority::kUnread,
                                   [&](LogSlots::Turn& turn) { return reader.Read(turn); });
    reader.RunEnded();
    ASSERT_TRUE(Eventually([&] { return sink.Ended(); }));
    EXPECT_EQ(sink.coverage, step == 0 ? Coverage::kComplete : Coverage::kPartial);
  }
}

TEST_F(PodLogReaderTest, ARotationDuringACutIsPartial) {
  ScriptedLog& log = api_.Log("ns/p/main");
  log.Append(Line(1));
  Start();
  ASSERT_TRUE(WaitForLines(1));
  api_.SetFault([&](const std::string&, const std::string&, const std::string&) {
    throw kube::ApiError(kube::ErrorReason::kUnavailable, 0, "no connection");
  });
  log.Cut();
  log.Append(Line(20));
  log.Rotate();
  log.Append(Line(30));
  log.End();
  api_.SetFault(nullptr);
  EndRun();
  ASSERT_TRUE(WaitForEnd());
  EXPECT_THAT(sink_.Taken(), ElementsAre(Line(1), Line(30)));
  EXPECT_THAT(sink_.Reasons(), ElementsAre("LogRotated"));
}

TEST_F(PodLogReaderTest, MissingRightsAreNamed) {
  api_.SetFault([](const std::string&, const std::string&, const std::string&) {
    throw kube::ApiError(kube::ErrorReason::kForbidden, 403,
                         "get pods/log ns/p: 403 Forbidden: cannot get resource \"pods/log\"");
  });
  Start();
  ASSERT_TRUE(WaitForEnd());
  EXPECT_EQ(sink_.coverage, Coverage::kForbidden);
  ASSERT_THAT(sink_.Reasons(), ElementsAre("Forbidden"));
  EXPECT_THAT(sink_.gaps[0].message, HasSubstr("get pods/log"));
}

TEST_F(PodLogReaderTest, AServerThatIsAwayIsWaitedFor) {
  std::atomic<int> refusals{30};
  api_.SetFault([&](const std::string&, const std::string&, const std::string&) {
    if (refusals-- > 0) {
      throw kube::ApiError(kube::ErrorReason::kUnavailable, 0, "connection refused");
    }
  });
  ScriptedLog& log = api_.Log("ns/p/main");
  log.Append(Line(1));
  log.End();
  Start();
  EndRun();
  ASSERT_TRUE(WaitForEnd());
  EXPECT_THAT(sink_.Taken(), ElementsAre(Line(1)));
  EXPECT_EQ(sink_.coverage, Coverage::kComplete);
}

TEST_F(PodLogReaderTest, ButNotForEverOnceTheWorkloadHasEnded) {
  api_.SetFault([](const std::string&, const std::string&, const std::string&) {
    throw kube::ApiError(kube::ErrorReason::kInternal, 500, "dial tcp 10.0.0.1:10250: timeout");
  });
  Start();
  reader_->Seal();
  ASSERT_TRUE(WaitForEnd());
  EXPECT_EQ(sink_.coverage, Coverage::kMissing);
  EXPECT_THAT(sink_.Reasons(), ElementsAre("LogUnavailable"));
}

TEST_F(PodLogReaderTest, AboveItsLimitALogLosesItsMiddleNotItsEnd) {
  ScriptedLog& log = api_.Log("ns/p/main");
  for (int i = 0; i < 5000; ++i) log.Append(Line(i));
  Start({.max_bytes = 64 * 1024});
  ASSERT_TRUE(Eventually([&] { return sink_.Taken().size() > 100; }));
  log.Append(Line(6000, "the root"));
  log.End();
  EndRun();
  ASSERT_TRUE(WaitForEnd());
  const std::vector<std::string> taken = sink_.Taken();
  EXPECT_EQ(taken.front(), Line(0));
  EXPECT_EQ(taken.back(), Line(6000, "the root"));
  EXPECT_LT(sink_.text.size(), 192U * 1024);
  EXPECT_EQ(std::adjacent_find(taken.begin(), taken.end()), taken.end()) << "none twice";
  EXPECT_EQ(sink_.coverage, Coverage::kPartial);
  EXPECT_THAT(sink_.Reasons(), ElementsAre("ByteLimit"));
}

TEST_F(PodLogReaderTest, OneEndlessLineIsCut) {
  ScriptedLog& log = api_.Log("ns/p/main");
  log.Append(Line(1, std::string(200'000, 'x')));
  log.End();
  Start();
  EndRun();
  ASSERT_TRUE(WaitForEnd());
  ASSERT_EQ(sink_.Taken().size(), 1U);
  EXPECT_EQ(sink_.Taken()[0].size(), LineBuffer::kMaxLine);
}

TEST_F(PodLogReaderTest, ThePreviousRun) {
  ScriptedLog& log = api_.Log("ns/p/main/previous");
  log.Append(Line(1));
  Start({.previous = true});
  ASSERT_TRUE(WaitForEnd());
  EXPECT_THAT(sink_.Taken(), ElementsAre(Line(1)));
  EXPECT_EQ(sink_.coverage, Coverage::kComplete);
}

TEST_F(PodLogReaderTest, APreviousRunWhoseLogIsGone) {
  Start({.previous = true});
  ASSERT_TRUE(WaitForEnd());
  EXPECT_THAT(sink_.Reasons(), ElementsAre("PreviousLogRemoved"));
}

TEST_F(PodLogReaderTest, SealedItEndsWithoutTheContainer) {
  api_.Log("ns/p/main").Append(Line(1));
  Start();
  ASSERT_TRUE(WaitForLines(1));
  reader_->Seal();
  ASSERT_TRUE(WaitForEnd());
  EXPECT_EQ(sink_.coverage, Coverage::kComplete);
}

TEST_F(PodLogReaderTest, MakesRoomAndGoesOn) {
  ScriptedLog& log = api_.Log("ns/p/main");
  log.Append(Line(1));
  LogSlots one(1, 1, *metrics_);
  PodLogReader reader(api_, {{"ns", "p"}, "main", false, kStart, 1 << 20}, budget_, sink_, kFast);
  const auto ticket = one.Add("n1", LogSlots::Priority::kUnread,
                              [&](LogSlots::Turn& turn) { return reader.Read(turn); });
  ASSERT_TRUE(WaitForLines(1));
  std::atomic<int> others{0};
  for (int i = 0; i < 5; ++i) {
    const auto other = one.Add("n1", LogSlots::Priority::kFailed, [&](LogSlots::Turn&) {
      ++others;
      return LogSlots::Next::kDone;
    });
    ASSERT_TRUE(Eventually([&] { return others == i + 1; }));
    log.Append(Line(i + 2));
  }
  log.End();
  reader.RunEnded();
  ASSERT_TRUE(WaitForEnd());
  EXPECT_EQ(sink_.Taken().size(), 6U);
}

}  // namespace
}  // namespace controllers
