// SPDX-License-Identifier: Apache-2.0
#include "controllers/evidence/node_boots.h"

#include <gtest/gtest.h>

namespace controllers {
namespace {

engine::Time At(int second) { return engine::Time(std::chrono::seconds(second)); }

TEST(NodeBootsTest, ARecordBelongsToTheBootThatSpansIt) {
  NodeBoots boots;
  boots.Note("n1", "a", At(10));
  boots.Note("n1", "a", At(20));
  boots.Note("n1", "b", At(30));
  boots.Note("n2", "c", At(15));
  EXPECT_EQ(boots.At("n1", At(10)), "a");
  EXPECT_EQ(boots.At("n1", At(15)), "a");
  EXPECT_EQ(boots.At("n1", At(30)), "b");
  EXPECT_EQ(boots.At("n1", At(25)), "") << "nobody knows";
  EXPECT_EQ(boots.At("n3", At(10)), "");
}

TEST(NodeBootsTest, AClockThatWasSetBackTellsNothing) {
  NodeBoots boots;
  boots.Note("n1", "a", At(10));
  boots.Note("n1", "a", At(40));
  boots.Note("n1", "b", At(20));
  EXPECT_EQ(boots.At("n1", At(20)), "");
  boots.Note("n1", "", At(50));
  EXPECT_EQ(boots.At("n1", At(50)), "");
}

}  // namespace
}  // namespace controllers
