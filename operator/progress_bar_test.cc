// SPDX-License-Identifier: Apache-2.0
#include "operator/progress_bar.h"

#include <gtest/gtest.h>

namespace app {
namespace {

TEST(ProgressBar, ShowsHowFarItIs) {
  using std::chrono::seconds;
  EXPECT_EQ(ProgressText(0, 1, 500'000, seconds(1)),
            "[....................] 0 of 1 log, 500 kB, 500 kB/s");
  EXPECT_EQ(ProgressText(250, 1000, 2'500'000'000, seconds(2)),
            "[#####...............] 250 of 1000 logs, 2.5 GB, 1.2 GB/s");
  EXPECT_EQ(ProgressText(3, 3, 3'000'000, seconds(3)),
            "[####################] 3 of 3 logs, 3 MB, 1 MB/s");
}

}  // namespace
}  // namespace app
