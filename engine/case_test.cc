// SPDX-License-Identifier: Apache-2.0
#include "engine/case.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

namespace engine {
namespace {

const std::shared_ptr<const Ruleset>& Builtin() {
  static const auto ruleset = Ruleset::Load(Ruleset::BuiltinDocuments()).ruleset;
  return ruleset;
}

Time At(const char* text) { return *ParseRfc3339(text); }

constexpr char kXid79[] =
    "NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.";
constexpr char kOutOfMemory[] =
    "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB";
constexpr char kTimeout[] =
    "[rank0]:[E ProcessGroupNCCL.cpp:616] [Rank 0] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum=88123, OpType=ALLREDUCE, NumelIn=524288, NumelOut=524288, "
    "Timeout(ms)=600000) ran for 600027 milliseconds before timing out.";

Workload Job() {
  return {.kind = "Job",
          .name_space = "team-a",
          .name = "train",
          .outcome = Outcome::kFailed,
          .start = At("2026-12-01T04:00:00Z"),
          .end = At("2026-12-01T05:00:00Z"),
          .nodes = {"n1", "n2"},
          .exclusive_nodes = {"n1", "n2"}};
}

// A kernel record with its own time, as the collector hands it over.
void Kernel(Case& one, const std::string& node, const char* time, std::string_view message,
            std::optional<Trust> trust = std::nullopt) {
  const StreamId stream = one.Open({.id = "node/" + node + "/kernel",
                                    .source = Source::kKernel,
                                    .trust = trust,
                                    .framing = Framing::kBare,
                                    .node = node,
                                    .object = "node/" + node});
  one.IngestLine(stream, At(time), message);
  one.Close(stream, Coverage::kComplete);
}

void App(Case& one, const std::string& pod, const std::string& node, const std::string& text,
         bool first_failed = false) {
  const StreamId stream = one.Open({.id = "pod/" + pod + "/main",
                                    .source = Source::kAppLog,
                                    .framing = Framing::kKubernetesTimestamp,
                                    .node = node,
                                    .object = "pod/" + pod,
                                    .container = "main",
                                    .first_failed = first_failed});
  one.Ingest(stream, text);
  one.Close(stream, Coverage::kComplete);
}

TEST(CaseTest, TheKernelsRecordExplainsTheTimeout) {
  Case one(Builtin(), Job());
  App(one, "train-0", "n2", std::string("2026-12-01T04:30:00Z ") + kTimeout + "\n");
  Kernel(one, "n1", "2026-12-01T04:20:00Z", kXid79);
  const Attribution got = one.Attribute();
  EXPECT_EQ(got.verdict.domain, Domain::kHardware);
  EXPECT_EQ(got.verdict.symptom, "xid-79");
  EXPECT_EQ(got.verdict.culprit.node, "n1");
  EXPECT_EQ(got.verdict.culprit.pci_address, "0000:3b:00");
  EXPECT_EQ(got.verdict.evidence_level, EvidenceLevel::kEstablished);
  EXPECT_TRUE(got.verdict.node_fault);
  ASSERT_TRUE(got.root);
  EXPECT_EQ(got.root->line, kXid79);
  EXPECT_EQ(got.root->trust, Trust::kNode);
  ASSERT_EQ(got.nodes.size(), 2U);
  EXPECT_EQ(got.nodes[0].name, "n1");
  EXPECT_EQ(got.nodes[0].role, NodeReport::NodeRole::kCulprit);
  EXPECT_EQ(got.nodes[1].role, NodeReport::NodeRole::kVictim);
}

TEST(CaseTest, AnApplicationCannotAccuseItsNode) {
  Case one(Builtin(), Job());
  App(one, "train-0", "n1", std::string("2026-12-01T04:30:00Z ") + kXid79 + "\n");
  const Attribution got = one.Attribute();
  EXPECT_FALSE(got.verdict.node_fault);
  EXPECT_NE(got.verdict.domain, Domain::kHardware);
}

TEST(CaseTest, ALoweredTrustNeverEstablishes) {
  Case one(Builtin(), Job());
  Kernel(one, "n1", "2026-12-01T04:20:00Z", kXid79, Trust::kWorkload);
  const Attribution got = one.Attribute();
  EXPECT_EQ(got.verdict.symptom, "xid-79");
  EXPECT_LT(got.verdict.evidence_level, EvidenceLevel::kEstablished);
  EXPECT_FALSE(got.verdict.node_fault);
}

TEST(CaseTest, WhatIsOfAnotherTimeNodeOrGpuIsNotItsRoot) {
  {
    Case one(Builtin(), Job());
    Kernel(one, "n1", "2026-11-30T04:20:00Z", kXid79);
    EXPECT_EQ(one.Attribute().verdict.result, Result::kUnknown) << "yesterday";
  }
  {
    Case one(Builtin(), Job());
    Kernel(one, "n3", "2026-12-01T04:20:00Z", kXid79);
    EXPECT_EQ(one.Attribute().verdict.result, Result::kUnknown) << "another node";
  }
  {
    Workload job = Job();
    job.exclusive_nodes.clear();
    job.nodes_with_known_gpus = {"n1"};
    job.gpus = {{"n1", "GPU-1", "0000:9c:00"}};
    Case one(Builtin(), job);
    Kernel(one, "n1", "2026-12-01T04:20:00Z", kXid79);
    EXPECT_EQ(one.Attribute().verdict.result, Result::kUnknown) << "a neighbour's GPU";
  }
  {
    Workload job = Job();
    job.exclusive_nodes.clear();
    Case one(Builtin(), job);
    Kernel(one, "n1", "2026-12-01T04:20:00Z", kXid79);
    const Attribution got = one.Attribute();
    EXPECT_EQ(got.verdict.evidence_level, EvidenceLevel::kSupported) << "whose GPU is not known";
    EXPECT_FALSE(got.verdict.node_fault);
  }
}

TEST(CaseTest, WhatAProgramDidToItsGpuAccusesNoNode) {
  Case one(Builtin(), Job());
  Kernel(one, "n1", "2026-12-01T04:20:00Z",
         "NVRM: Xid (PCI:0000:3b:00): 31, pid=4711, name=python3, Ch 00000008, intr 00000000. MMU "
         "Fault: ENGINE GRAPHICS GPCCLIENT_T1_10 faulted @ 0x7fd7_90743000. Fault is of type "
         "FAULT_PDE ACCESS_TYPE_VIRT_READ");
  const Attribution got = one.Attribute();
  EXPECT_EQ(got.verdict.domain, Domain::kUser);
  EXPECT_TRUE(got.verdict.culprit.node.empty());
  EXPECT_TRUE(got.nodes.empty());
}

TEST(CaseTest, YesterdaysRecordDoesNotHideTodays) {
  Case one(Builtin(), Job());
  Kernel(one, "n1", "2026-11-30T04:20:00Z", kXid79);
  Kernel(one, "n1", "2026-12-01T04:20:00Z", kXid79);
  EXPECT_TRUE(one.Attribute().verdict.node_fault);
}

TEST(CaseTest, TheSameOnThreeNodesIsThePlatforms) {
  Workload job = Job();
  job.nodes = job.exclusive_nodes = {"n1", "n2", "n3"};
  Case one(Builtin(), job);
  for (const char* node : {"n1", "n2", "n3"}) Kernel(one, node, "2026-12-01T04:20:00Z", kXid79);
  const Attribution got = one.Attribute();
  EXPECT_EQ(got.verdict.domain, Domain::kPlatform);
  EXPECT_FALSE(got.verdict.node_fault);
}

TEST(CaseTest, WhatSeveralProgramsClaimAccusesNoNode) {
  const auto culprits = [](const std::vector<std::string>& nodes) {
    Case one(Builtin(), Job());
    for (const std::string& node : nodes) {
      const StreamId log =
          one.Open({.id = node, .source = Source::kAppLog, .node = node, .object = node});
      one.Ingest(log, "2026-12-01T04:20:00Z CUDA error: uncorrectable ECC error encountered\n");
      one.Close(log, Coverage::kComplete);
    }
    std::vector<std::string> names;
    for (const NodeReport& node : one.Attribute().nodes) {
      if (node.role == NodeReport::NodeRole::kCulprit) names.push_back(node.name);
    }
    return names;
  };
  EXPECT_EQ(culprits({"n1"}), std::vector<std::string>{"n1"});
  EXPECT_EQ(culprits({"n1", "n2"}), std::vector<std::string>{});
}

TEST(CaseTest, JustAfterABootIsThePlatforms) {
  Case one(Builtin(), Job());
  Kernel(one, "n1", "2026-12-01T04:20:00Z", kXid79);
  History history;
  history.activities = {{NodeActivity::Kind::kBoot, "n1", At("2026-12-01T04:10:00Z")}};
  EXPECT_EQ(one.Attribute(history).verdict.domain, Domain::kPlatform);
  history.activities[0].time = At("2026-12-01T03:00:00Z");
  EXPECT_EQ(one.Attribute(history).verdict.domain, Domain::kHardware);
}

TEST(CaseTest, UnknownKeepsTheLastLinesRedacted) {
  Case one(Builtin(), Job());
  std::string log;
  for (int i = 0; i < 100; ++i) log += "2026-12-01T04:00:01Z line " + std::to_string(i) + "\n";
  log += "2026-12-01T04:00:02Z Authorization: Bearer abcdefghijkl\n";
  App(one, "train-0", "n1", log, /*first_failed=*/true);
  const Attribution got = one.Attribute();
  EXPECT_EQ(got.verdict.result, Result::kUnknown);
  EXPECT_EQ(got.verdict.uncertainty, Uncertainty::kNodeLogsMissing);
  ASSERT_EQ(got.tail.size(), 40U);
  EXPECT_NE(got.tail.back().find("Bearer [redacted]"), std::string::npos);
}

TEST(CaseTest, ContextStandsAroundTheDecidingLine) {
  Case one(Builtin(), Job());
  std::string log;
  for (int i = 0; i < 10; ++i) log += "2026-12-01T04:10:00Z before " + std::to_string(i) + "\n";
  log += std::string("2026-12-01T04:10:01Z ") + kOutOfMemory + "\n";
  for (int i = 0; i < 10; ++i) log += "2026-12-01T04:10:02Z after " + std::to_string(i) + "\n";
  App(one, "train-0", "n1", log);
  const Attribution got = one.Attribute();
  ASSERT_TRUE(got.root);
  EXPECT_EQ(got.root->line_number, 11);
  EXPECT_EQ(got.root->before.size(), 5U);
  EXPECT_EQ(got.root->after.size(), 5U);
  EXPECT_NE(got.root->before.back().find("before 9"), std::string::npos);
  EXPECT_NE(got.root->after.front().find("after 0"), std::string::npos);
  EXPECT_EQ(got.verdict.domain, Domain::kUser);
  EXPECT_TRUE(got.verdict.culprit.node.empty()) << "a user's error accuses no node";
}

TEST(CaseTest, RepeatsAreCounted) {
  Case one(Builtin(), Job());
  std::string log;
  for (int i = 0; i < 1'000; ++i) log += std::string("2026-12-01T04:10:01Z ") + kOutOfMemory + "\n";
  App(one, "train-0", "n1", log);
  const Attribution got = one.Attribute();
  ASSERT_FALSE(got.symptoms.empty());
  EXPECT_EQ(got.symptoms[0].count, 1'000);
}

TEST(CaseTest, WhatSeveralRulesTellOfOnePlaceIsOneEntry) {
  Case one(Builtin(), Job());
  const StreamId log = one.Open({.id = "job", .source = Source::kScheduler, .object = "job/train"});
  one.IngestLine(log, At("2026-12-01T05:00:00Z"),
                 "Job condition Failed=True reason=BackoffLimitExceeded message=\"backoff limit\"");
  one.Close(log, Coverage::kComplete);
  const StreamId events =
      one.Open({.id = "events", .source = Source::kEvent, .object = "job/train"});
  one.IngestLine(
      events, At("2026-12-01T05:00:01Z"),
      "Warning BackoffLimitExceeded job/train: Job has reached the specified backoff limit");
  one.Close(events, Coverage::kComplete);
  const Attribution got = one.Attribute();
  ASSERT_EQ(got.symptoms.size(), 1U);
  EXPECT_EQ(got.symptoms[0].symptom, "job-gave-up");
  EXPECT_EQ(got.symptoms[0].count, 2);
  EXPECT_EQ(got.symptoms[0].first_time, At("2026-12-01T05:00:00Z"));
  EXPECT_EQ(got.symptoms[0].last_time, At("2026-12-01T05:00:01Z"));
}

TEST(CaseTest, AnUnknownSaysWhatWasFirstSeenAndWhatWouldSettleIt) {
  Case one(Builtin(), Job());
  Kernel(one, "n1", "2026-12-01T04:20:00Z", "usb 1-1: new device");
  Kernel(one, "n2", "2026-12-01T04:20:00Z", "usb 1-1: new device");
  App(one, "train-0", "n2", std::string("2026-12-01T04:30:00Z ") + kTimeout + "\n");
  const Verdict got = one.Attribute().verdict;
  EXPECT_EQ(got.uncertainty, Uncertainty::kOnlyEffects);
  EXPECT_NE(got.message.find("NCCL"), std::string::npos) << got.message;
  EXPECT_FALSE(got.actions.empty());
}

TEST(CaseTest, ASuccessHasNoCulprit) {
  Workload job = Job();
  job.outcome = Outcome::kSucceeded;
  Case one(Builtin(), job);
  Kernel(one, "n1", "2026-12-01T04:20:00Z", kXid79);
  const Attribution got = one.Attribute();
  EXPECT_EQ(got.verdict.result, Result::kSucceeded);
  EXPECT_FALSE(got.verdict.node_fault);
  EXPECT_TRUE(got.nodes.empty());
}

TEST(CaseTest, BinaryAndEmptyLogsGiveNoVerdict) {
  Case one(Builtin(), Job());
  std::string noise;
  std::mt19937 random(7);  // NOLINT(cert-msc51-cpp): the same bytes each time
  for (int i = 0; i < 200'000; ++i) noise += static_cast<char>(random());
  App(one, "train-0", "n1", noise, true);
  App(one, "train-1", "n2", "");
  const Attribution got = one.Attribute();
  EXPECT_EQ(got.verdict.result, Result::kUnknown);
  EXPECT_NO_THROW(ToJson(got).dump());
}

TEST(CaseTest, OneLineOfManyMegabytesIsReadWithinBounds) {
  Case one(Builtin(), Job());
  const StreamId stream = one.Open({.id = "pod/a/main", .source = Source::kAppLog});
  const std::string piece(1 << 20, 'x');
  for (int i = 0; i < 64; ++i) one.Ingest(stream, piece);
  one.Ingest(stream, std::string("\n") + kOutOfMemory);
  one.Close(stream, Coverage::kComplete);
  const Attribution got = one.Attribute();
  EXPECT_EQ(got.verdict.symptom, "cudaerror-out-of-memory");
  EXPECT_EQ(got.root->line_number, 2);
}

// Same evidence, any order, any chunking, any number of threads: the same bytes.
TEST(CaseTest, OrderChunkingAndThreadsDoNotMatter) {
  struct Log {
    std::string id;
    Source source;
    std::string node;
    std::string text;
  };
  std::vector<Log> logs;
  for (int i = 0; i < 8; ++i) {
    std::string text;
    for (int line = 0; line < 200; ++line) text += "step " + std::to_string(line) + " loss 2.3\n";
    text += std::string("[rank") + std::to_string(i) + "]: " + kOutOfMemory + "\n";
    text += std::string(kTimeout) + "\n";
    // Times above undated lines, colours, progress bars, a byte that is no text, no end.
    text +=
        "2026-12-01 04:0" + std::to_string(i) + ":00,5 INFO step\n\n\x1b[31mTraceback\x1b[0m\r\n";
    text += "  5%|#\r 10%|##\r\xff\x01\nValueError: x\nSegmentation fault (core dumped)";
    logs.push_back(
        {"pod/" + std::to_string(i), Source::kAppLog, "n" + std::to_string(i % 2 + 1), text});
  }
  logs.push_back({"node/n1", Source::kKernel, "n1",
                  std::string("[12.5] ") + kXid79 +
                      "\n[12.6] NVRM: The NVIDIA GPU 0000:b3:00.0\n"
                      "       NVRM: (PCI ID: 10de:26b5) installed in this system has\n"
                      "       NVRM: fallen off the bus and is not responding to commands.\n"});

  const auto run = [&](unsigned seed, bool threads) {
    std::mt19937 random(seed);
    std::vector<Log> order = logs;
    std::shuffle(order.begin(), order.end(), random);
    Case one(Builtin(), {.kind = "Job", .name_space = {}, .name = "x"});
    std::vector<std::jthread> workers;
    for (const Log& log : order) {
      const std::size_t chunk = random() % 100 + 1;
      const auto feed = [&one, &log, chunk] {
        const StreamId stream = one.Open({.id = log.id, .source = log.source, .node = log.node});
        for (std::size_t at = 0; at < log.text.size(); at += chunk) {
          one.Ingest(stream, std::string_view(log.text).substr(at, chunk));
        }
        one.Close(stream, Coverage::kComplete);
      };
      if (threads) {
        workers.emplace_back(feed);
      } else {
        feed();
      }
    }
    workers.clear();
    return ToJson(one.Attribute()).dump();
  };
  const std::string expected = run(1, false);
  for (unsigned seed = 2; seed < 8; ++seed) {
    EXPECT_EQ(run(seed, false), expected);
    EXPECT_EQ(run(seed, true), expected);
  }
}

TEST(CaseTest, MayBeAskedWhileEvidenceArrives) {
  Case one(Builtin(), Job());
  const StreamId stream = one.Open({.id = "pod/a/main", .source = Source::kAppLog, .node = "n1"});
  std::jthread writer([&] {
    for (int i = 0; i < 500; ++i) one.Ingest(stream, std::string(kOutOfMemory) + "\n");
  });
  for (int i = 0; i < 20; ++i) one.Attribute();
  writer.join();
  EXPECT_EQ(one.Attribute().symptoms[0].count, 500);
}

}  // namespace
}  // namespace engine
