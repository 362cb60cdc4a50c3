// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace kube {
namespace {

std::string ReadAll(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(ReadmeTest, ShowsTheExampleThatIsBuilt) {
  const std::string example = ReadAll("kube/example/main.cc");
  const std::size_t begin = example.find("#include");
  ASSERT_NE(begin, std::string::npos) << "run in the source folder";
  EXPECT_NE(ReadAll("kube/README.md").find("```cpp\n" + example.substr(begin) + "```"),
            std::string::npos)
      << "kube/README.md and kube/example/main.cc differ";
}

}  // namespace
}  // namespace kube
