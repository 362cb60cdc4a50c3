// SPDX-License-Identifier: Apache-2.0
// For tests against a real API server: KUBECONFIG names one that a test may write to.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cctype>
#include <chrono>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "kube/client.h"
#include "kube/config.h"

namespace kube {

inline const Resource kConfigMaps{"", "v1", "configmaps", "ConfigMap", true};
inline const Resource kNamespaces{"", "v1", "namespaces", "Namespace", false};
inline const Resource kLeases{"coordination.k8s.io", "v1", "leases", "Lease", true};
inline const Resource kNowhere{"example.dev", "v1", "nowheres", "Nowhere", true};

inline Json Map(const std::string& name_space, const std::string& name, int value) {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", {{"name", name}, {"namespace", name_space}}},
          {"data", {{"value", std::to_string(value)}}}};
}

template <typename Condition>
bool Eventually(Condition condition, std::chrono::milliseconds limit = std::chrono::seconds(30)) {
  const auto until = std::chrono::steady_clock::now() + limit;
  while (std::chrono::steady_clock::now() < until) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return condition();
}

// A namespace of its own for each test.
class ApiServerTest : public testing::Test {
 protected:
  void SetUp() override {
    client_ = NewHttpClient(LoadKubeconfig());
    const auto* const info = testing::UnitTest::GetInstance()->current_test_info();
    std::string name = info->name();
    for (char& c : name) c = static_cast<char>(std::tolower(c));
    name_space_ = name.substr(0, 50) + '-' + std::to_string(getpid());
    client_->Create(
        kNamespaces,
        {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", name_space_}}}});
  }
  void TearDown() override {
    if (client_) client_->Delete(kNamespaces, {"", name_space_});
  }

  // The ConfigMaps that tests made: a controller manager adds one of its own.
  std::map<std::string, std::string> ListAll() {
    std::map<std::string, std::string> versions;
    client_->List(kConfigMaps, {.name_space = name_space_, .limit = 50},
                  [&](const Json& map) { versions[NameOf(map)] = ResourceVersionOf(map); });
    versions.erase("kube-root-ca.crt");
    return versions;
  }

  std::unique_ptr<Client> client_;
  std::string name_space_;
};

}  // namespace kube
