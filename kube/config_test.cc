// SPDX-License-Identifier: Apache-2.0
#include "kube/config.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "kube/error.h"

namespace kube {
namespace {

class KubeconfigTest : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = std::filesystem::temp_directory_path() / ("kubeconfig-" + std::to_string(getpid()));
    std::filesystem::create_directories(dir_);
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }

  std::string Write(const std::string& name, const std::string& text) {
    std::ofstream(dir_ / name) << text;
    return (dir_ / name).string();
  }

  // The message of the error that loading gives.
  std::string Problem(const std::string& text) {
    const std::string file = Write("config", text);
    try {
      LoadKubeconfig(file);
      return {};
    } catch (const ApiError& error) {
      std::string message = error.what();
      const std::size_t at = message.find(file);
      return at == std::string::npos ? message : message.substr(at + file.size());
    }
  }

  std::filesystem::path dir_;
};

constexpr char kGood[] = R"(
current-context: a
contexts:
- {name: a, context: {cluster: c, user: u, namespace: team}}
- {name: b, context: {cluster: c, user: u}}
clusters:
- {name: c, cluster: {server: "https://192.0.2.1:6443", certificate-authority: ca.pem}}
users:
- {name: u, user: {client-certificate-data: Y2VydA==, client-key-data: a2V5, token: secret}}
)";

TEST_F(KubeconfigTest, ReadsTheCurrentContext) {
  Write("ca.pem", "CA");
  const std::string file = Write("config", kGood);
  const Config config = LoadKubeconfig(file);
  EXPECT_EQ(config.server, "https://192.0.2.1:6443");
  EXPECT_EQ(config.ca_file, (dir_ / "ca.pem").string()) << "relative to the kubeconfig";
  EXPECT_EQ(config.client_certificate_data, "cert");
  EXPECT_EQ(config.client_key_data, "key");
  EXPECT_EQ(config.token, "secret");
  EXPECT_EQ(config.name_space, "team");
  EXPECT_EQ(LoadKubeconfig(file, "b").name_space, "default");
}

TEST_F(KubeconfigTest, ErrorsNameFileAndField) {
  EXPECT_EQ(Problem(kGood), ": clusters[c].cluster.certificate-authority: " +
                                (dir_ / "ca.pem").string() + " does not exist");
  Write("ca.pem", "CA");
  EXPECT_EQ(Problem("{}"), ": current-context: missing; name one with --context");
  EXPECT_EQ(Problem("current-context: x\ncontexts: []"), ": contexts: no entry named \"x\"");
  EXPECT_EQ(Problem("a: [").substr(0, 7), ": line ");
  std::string bad = kGood;
  bad.replace(bad.find("Y2VydA=="), 8, "'!'");
  EXPECT_EQ(Problem(bad), ": users[u].user.client-certificate-data: is not base64");
  bad = kGood;
  bad.replace(bad.find("token: secret"), 13, "exec: {command: x}");
  EXPECT_NE(Problem(bad).find("users[u].user.exec: is not supported"), std::string::npos);
  try {
    LoadKubeconfig((dir_ / "none").string());
    FAIL();
  } catch (const ApiError& error) {
    EXPECT_NE(std::string(error.what()).find("does not exist"), std::string::npos);
  }
}

}  // namespace
}  // namespace kube
