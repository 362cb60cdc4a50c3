// SPDX-License-Identifier: Apache-2.0
#include "operator/saved_logs/log_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "operator/saved_logs/log_fixture.h"

namespace app {
namespace {

using testing::HasSubstr;

constexpr char kText[] = "step 1\nstep 2\nRuntimeError: x";

struct Contents {
  std::string text;
  std::string error;
};

Contents Read(const std::string& path, std::size_t buffer_bytes = 4096) {
  Contents contents;
  const auto reader = OpenLog(path, &contents.error);
  if (reader == nullptr) return contents;
  std::vector<char> buffer(buffer_bytes);
  while (const std::size_t size = reader->Read(buffer)) contents.text.append(buffer.data(), size);
  contents.error = reader->error();
  return contents;
}

TEST(LogReaderTest, TheFormatIsToldByTheBytes) {
  const LogFolder folder;
  const std::string skippable("\x50\x2a\x4d\x18\x03\0\0\0abc", 11);
  const std::vector<std::string> forms = {
      kText,
      Gzip(kText),
      Zstd(kText),
      Utf16(kText),
      Gzip(Utf16(kText)),
      Gzip("step 1\n") + Gzip("step 2\nRuntimeError: x"),
      Zstd("step 1\n") + skippable + Zstd("step 2\nRuntimeError: x"),
      Gzip(kText) + std::string(100, '\0'),
  };
  for (std::size_t i = 0; i < forms.size(); ++i) {
    const std::string path = folder.Write("log", forms[i]);
    for (const std::size_t buffer : {1U, 3U, 4096U}) {
      const Contents got = Read(path, buffer);
      EXPECT_EQ(got.text, kText) << i;
      EXPECT_EQ(got.error, "") << i;
    }
  }
  EXPECT_EQ(Read(folder.Write("log", "")).text, "");
  EXPECT_EQ(Read(folder.Write("log", "x")).text, "x");
}

TEST(LogReaderTest, WhatIsMissingOrDamagedIsSaid) {
  const LogFolder folder;
  std::string text;
  for (int i = 0; i < 1000; ++i) text += std::to_string(i * i) + "\n";
  for (const std::string& form : {Gzip(text), Zstd(text)}) {
    const Contents cut = Read(folder.Write("log", form.substr(0, form.size() - 20)));
    EXPECT_THAT(cut.error, HasSubstr("ends in the middle"));
    const std::string damaged = form.substr(0, 5) + std::string(50, '\xff') + form.substr(55);
    EXPECT_THAT(Read(folder.Write("log", damaged)).error, HasSubstr("damaged"));
  }
  EXPECT_THAT(Read("/nowhere/log").error, HasSubstr("cannot be opened"));
  EXPECT_THAT(Read(folder.Write("log", "\xfd\x37zXZ rest")).error, HasSubstr("xz -dc"));
}

TEST(LogReaderTest, AWindowThatIsTooLargeIsRefused) {
  const LogFolder folder;
  // The head of a frame (RFC 8878, 3.1.1.1) with a window of 128 MiB.
  const std::string frame("\x28\xb5\x2f\xfd\x00\x88\x01\x00\x00", 9);
  EXPECT_THAT(Read(folder.Write("log", frame)).error, HasSubstr("--long=31"));
}

}  // namespace
}  // namespace app
