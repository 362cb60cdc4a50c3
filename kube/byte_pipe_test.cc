// SPDX-License-Identifier: Apache-2.0
#include "kube/byte_pipe.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace kube {
namespace {

using std::chrono::milliseconds;

std::string ReadAll(BytePipe& pipe, std::size_t chunk) {
  std::string all;
  std::string buffer(chunk, '\0');
  std::size_t size = 0;
  while (pipe.Read(buffer.data(), chunk, &size, milliseconds(1000), {}) ==
         BytePipe::State::kBytes) {
    all.append(buffer, 0, size);
  }
  return all;
}

TEST(BytePipeTest, BytesComeInOrderAndTheWriterWaitsForRoom) {
  BytePipe pipe(100);
  std::atomic<int> ahead{0};
  std::atomic<int> most{0};
  std::string sent;
  std::jthread writer([&] {
    for (int i = 0; i < 1'000; ++i) {
      const std::string piece = std::to_string(i) + ' ';
      sent += piece;
      std::atomic<bool> room{false};
      most = std::max(most.load(), ++ahead);
      pipe.Write(piece.data(), piece.size(), [&] {
        --ahead;
        room = true;
        room.notify_all();
      });
      room.wait(false);
    }
    pipe.Finish({});
  });
  const std::string got = ReadAll(pipe, 7);
  writer.join();
  EXPECT_EQ(got, sent);
  EXPECT_EQ(most, 1);
}

TEST(BytePipeTest, SaysHowItEnded) {
  char buffer[8];
  std::size_t size = 0;
  BytePipe cut(100);
  cut.Write("ab", 2, [] {});
  cut.Finish("reset");
  EXPECT_EQ(cut.Read(buffer, 8, &size, milliseconds(10), {}), BytePipe::State::kBytes);
  EXPECT_EQ(cut.Read(buffer, 8, &size, milliseconds(10), {}), BytePipe::State::kError);
  EXPECT_EQ(cut.error(), "reset");

  BytePipe quiet(100);
  EXPECT_EQ(quiet.Read(buffer, 8, &size, milliseconds(10), {}), BytePipe::State::kTimeout);
  std::stop_source stop;
  std::jthread later([&] {
    std::this_thread::sleep_for(milliseconds(20));
    stop.request_stop();
  });
  EXPECT_EQ(quiet.Read(buffer, 8, &size, milliseconds(10'000), stop.get_token()),
            BytePipe::State::kStopped);
}

TEST(BytePipeTest, AReaderThatIsGoneHoldsNobodyUp) {
  BytePipe pipe(1);
  bool room = false;
  pipe.Write("abc", 3, [&] { room = true; });
  EXPECT_FALSE(room);
  pipe.Abandon();
  EXPECT_TRUE(room);
  room = false;
  pipe.Write("abc", 3, [&] { room = true; });
  EXPECT_TRUE(room);
}

}  // namespace
}  // namespace kube
