// SPDX-License-Identifier: Apache-2.0
// The whole way of a kernel message: /dev/kmsg, the agent's line, the operator's engine. A message
// that holds a line break stays one line on it: what follows the break, which may be a process's
// name, never stands where a rule's anchor is.
#include <gtest/gtest.h>

#include "controllers/evidence/agent_record.h"
#include "engine/case.h"
#include "operator/node_agent/kernel_record.h"
#include "operator/node_agent/kmsg_line.h"

namespace app {
namespace {

const engine::Time kTime = *engine::ParseRfc3339("2026-12-01T04:00:00Z");
constexpr char kXid[] =
    "NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, name=python3, GPU has fallen off the bus.";

engine::Attribution VerdictOn(const std::string& kmsg) {
  const auto line = ParseKmsgLine(kmsg);
  const std::string printed = RecordLine({.boot_id = "b",
                                          .seq = line->seq,
                                          .time = kTime,
                                          .priority = line->priority,
                                          .facility = line->facility,
                                          .transport = "kmsg",
                                          .message = line->message});
  EXPECT_EQ(printed.find('\n'), printed.size() - 1) << "one line";
  const auto record = controllers::ParseAgentLine(printed);
  EXPECT_TRUE(controllers::IsKernels(*record));

  engine::Case one(engine::Ruleset::Load(engine::Ruleset::BuiltinDocuments()).ruleset,
                   {.kind = "Job",
                    .name_space = "ns",
                    .name = "j",
                    .outcome = engine::Outcome::kFailed,
                    .start = kTime - std::chrono::minutes(1),
                    .end = kTime + std::chrono::minutes(1),
                    .nodes = {"n1"},
                    .exclusive_nodes = {"n1"}});
  const engine::StreamId kernel = one.Open({.id = "kernel/n1",
                                            .source = engine::Source::kKernel,
                                            .framing = engine::Framing::kBare,
                                            .node = "n1"});
  one.IngestLine(kernel, record->time, record->message);
  one.Close(kernel, engine::Coverage::kComplete);
  return one.Attribute();
}

TEST(EmbeddedNewlineTest, WhatFollowsItIsNoMessageOfTheKernel) {
  EXPECT_TRUE(VerdictOn(std::string("3,7,1,-;") + kXid + '\n').verdict.node_fault);
  for (const char* before :
       {"comm: evil\\x0a", "\\x0a", "\\x0d\\x0a", "x\\x0d", "x\\xe2\\x80\\xa8"}) {
    const engine::Attribution got = VerdictOn(std::string("3,7,1,-;") + before + kXid + '\n');
    EXPECT_FALSE(got.verdict.node_fault) << before;
    EXPECT_FALSE(got.root.has_value()) << before;
  }
}

}  // namespace
}  // namespace app
