// SPDX-License-Identifier: Apache-2.0
#include "operator/saved_logs/line_split.h"

#include <gtest/gtest.h>

#include <string>

namespace app {
namespace {

constexpr char kLog[] =
    "Oct 03 18:00:01 h systemd[1]: a\n"
    "Oct 03 18:00:01 h kernel: k1\n"
    "Oct 03 18:00:01 h kernel: k2\n"
    "\n"
    "Oct 03 18:00:02 h app[2]: b\n"
    "Oct 03 18:00:02 h kernel: k3";

// A log in two.
struct Halves {
  std::string other;
  std::string kernel;
  LineSplit split{
      [this](bool of_kernel, std::string_view bytes) { (of_kernel ? kernel : other) += bytes; }};

  Halves(std::string_view log, std::size_t chunk) {
    for (std::size_t i = 0; i < log.size(); i += chunk) split.Write(log.substr(i, chunk));
    split.Finish();
  }
};

TEST(LineSplit, IsTheSameForAnyChunking) {
  for (std::size_t chunk = 1; chunk <= sizeof(kLog); ++chunk) {
    const Halves halves(kLog, chunk);
    EXPECT_EQ(halves.other, "Oct 03 18:00:01 h systemd[1]: a\n\nOct 03 18:00:02 h app[2]: b\n");
    EXPECT_EQ(halves.kernel,
              "Oct 03 18:00:01 h kernel: k1\nOct 03 18:00:01 h kernel: k2\n"
              "Oct 03 18:00:02 h kernel: k3");
    EXPECT_EQ(halves.split.LineInLog(true, 1), 2);
    EXPECT_EQ(halves.split.LineInLog(true, 2), 3);
    EXPECT_EQ(halves.split.LineInLog(true, 3), 6);
    EXPECT_EQ(halves.split.LineInLog(true, 4), 0);
    EXPECT_EQ(halves.split.LineInLog(false, 1), 1);
    EXPECT_EQ(halves.split.LineInLog(false, 2), 4);
    EXPECT_EQ(halves.split.LineInLog(false, 3), 5);
    EXPECT_EQ(halves.split.LineInLog(false, 0), 0);
  }
}

TEST(LineSplit, WhatIsIndentedGoesOnWithTheRecord) {
  const Halves halves(
      "[ 1843.308145] NVRM: The NVIDIA GPU 0000:b3:00.0\n   NVRM: fallen off the bus\n"
      "Oct 03 18:00:02 h app[2]: b\n\tc\n",
      7);
  EXPECT_EQ(halves.kernel,
            "[ 1843.308145] NVRM: The NVIDIA GPU 0000:b3:00.0\n   NVRM: fallen off the bus\n");
  EXPECT_EQ(halves.other, "Oct 03 18:00:02 h app[2]: b\n\tc\n");
}

TEST(LineSplit, DecidesLongLinesByTheirBeginning) {
  const std::string log =
      "[    1.000000] " + std::string(100'000, 'x') + "\nOct 03 18:00:02 h app[2]: b\n";
  for (const std::size_t chunk : {1UL, 255UL, 256UL, 4096UL, 200'000UL}) {
    const Halves halves(log, chunk);
    EXPECT_EQ(halves.kernel.size(), 100'016U) << chunk;
    EXPECT_EQ(halves.other, "Oct 03 18:00:02 h app[2]: b\n") << chunk;
  }
}

}  // namespace
}  // namespace app
