// SPDX-License-Identifier: Apache-2.0
#include "operator/saved_logs/kernel_tag.h"

#include <gtest/gtest.h>

namespace app {
namespace {

using engine::Source;

TEST(KernelTag, IsSeenWhereDaemonsWriteIt) {
  for (const char* line : {
           "Oct 03 18:00:02 host kernel: NVRM: Xid (PCI:0000:3b:00): 79",
           "Dec  2 11:38:27 gpu-7.example kernel: [  199.234935] NVRM: Xid",
           "2025-10-03T18:00:02+0000 host kernel: NVRM: Xid",
           "2025-10-03T18:00:02.123456+00:00 host kernel: [  1.234567] NVRM: Xid",
           "2025-10-03T18:00:02.1Z host kernel: x",
           "<4>1 2025-10-03T18:00:02Z host kernel - - - NVRM: Xid",
           "<4>Oct 03 18:00:02 host kernel: NVRM: Xid",
           "[ 1234.567890] host kernel: NVRM: Xid",
           "[ 1234.567890] NVRM: Xid",
           "[ 1234.567890][ T123] NVRM: Xid",
           "[  +0.000316] pcieport 0000:00:03.0: AER: Corrected error received",
           "[Fri Oct 14 14:56:49 2022] NVRM: Xid",
           "kern  :warn  : [ 1234.567890] NVRM: Xid",
           "10.0.0.1: kern: warning: [2026-04-22T21:27:51.288Z]: NVRM: Xid",
           "4,1227,437812449932,c,caller=T123;NVRM: Xid",
       }) {
    EXPECT_TRUE(CarriesKernelTag(line)) << line;
  }
}

TEST(KernelTag, ElsewhereIsSomebodysWord) {
  for (const char* line : {
           "Oct 03 18:00:02 host python3[71]: kernel: NVRM: Xid (PCI:0000:3b:00): 79",
           "Oct 03 18:00:02 host notkernel: NVRM: Xid",
           "Oct 03 18:00:02 host logger: Oct 03 18:00:02 host kernel: NVRM: Xid",
           "kernel: NVRM: Xid",
           "NVRM: Xid (PCI:0000:3b:00): 79",
           " kernel: x",
           "",
       }) {
    EXPECT_FALSE(CarriesKernelTag(line)) << line;
  }
}

TEST(KernelTag, HeadlessLines) {
  EXPECT_TRUE(IsHeadlessKernelLine("NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus."));
  EXPECT_TRUE(IsHeadlessKernelLine("INFO: task python:12 blocked for more than 120 seconds."));
  EXPECT_FALSE(IsHeadlessKernelLine("Oct 03 18:00:01 h app[1]: NVRM: Xid (PCI:0000:3b:00): 79"));
  EXPECT_FALSE(IsHeadlessKernelLine("python: NVRM: Xid (PCI:0000:3b:00): 79"));
  EXPECT_EQ(SourceByContent("NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.\n"),
            Source::kAppLog)
      << "anybody can print that";
}

TEST(KernelTag, ContentNamesTheSource) {
  EXPECT_EQ(SourceByContent("[    0.000000] Linux version 6.1\n[    0.000000] x\n  more\n"),
            Source::kKernel);
  EXPECT_EQ(SourceByContent("Oct 03 18:00:01 h systemd[1]: Started x.\n"
                            "Oct 03 18:00:02 h kernel: y\n"
                            "Oct 03 18:00:02 h containerd[77]: z\n"),
            Source::kSyslog);
  EXPECT_EQ(SourceByContent("[rank 0] RuntimeError: CUDA out of memory\n"), Source::kAppLog);
  EXPECT_EQ(SourceByContent("2025-10-03 18:00:02 INFO epoch 1\n2025-10-03 18:00:03 INFO epoch 2\n"),
            Source::kAppLog);
  EXPECT_EQ(SourceByContent(""), Source::kAppLog);
}

}  // namespace
}  // namespace app
