// SPDX-License-Identifier: Apache-2.0
#include "operator/node_agent/kmsg_line.h"

#include <gtest/gtest.h>

namespace app {
namespace {

TEST(KmsgLineTest, ReadsTheKernelsOwnRecord) {
  const auto line = ParseKmsgLine(
      "3,1201,5140900,-;NVRM: Xid (PCI:0000:3b:00): 79, pid=1, name=python\n SUBSYSTEM=pci\n");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->facility, 0);
  EXPECT_EQ(line->priority, 3);
  EXPECT_EQ(line->seq, 1201U);
  EXPECT_EQ(line->since_boot.count(), 5140900);
  EXPECT_EQ(line->message, "NVRM: Xid (PCI:0000:3b:00): 79, pid=1, name=python");
}

TEST(KmsgLineTest, UserSpaceCannotClaimFacilityZero) {
  const auto line = ParseKmsgLine("11,7,1,-;NVRM: Xid (PCI:0000:3b:00): 79");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->facility, 1);
  EXPECT_EQ(line->priority, 3);
}

TEST(KmsgLineTest, DecodesEscapesAndFurtherFields) {
  const auto line = ParseKmsgLine("6,7,1,c,caller=T1;a\\x0ab \\x5cx41 \\xzz;c");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->message, "a\nb \\x41 \\xzz;c");
}

TEST(KmsgLineTest, RefusesWhatIsNone) {
  for (const char* text : {"", ";", "a,b,c,-;x", "6,7;x", "6,7,1,- no semicolon", "-6,7,1,-;x"}) {
    EXPECT_FALSE(ParseKmsgLine(text)) << text;
  }
}

}  // namespace
}  // namespace app
