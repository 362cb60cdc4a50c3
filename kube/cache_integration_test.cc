// SPDX-License-Identifier: Apache-2.0
// The cache while the API server is killed and started again. Only where the environment says
// ATTRIBUTION_MAY_KILL_API_SERVER=yes: the server of KUBECONFIG must then run in this process
// namespace, and nobody else may need it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "kube/api_server_fixture.h"
#include "kube/cache.h"

namespace kube {
namespace {

using std::chrono::milliseconds;

std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The API server's process: found by its name, started again as it was.
class ApiServerProcess {
 public:
  ApiServerProcess() {
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      if (ReadAll(entry.path() / "comm") != "kube-apiserver\n") continue;
      EXPECT_EQ(pid_, 0) << "two API servers: which is to be killed?";
      pid_ = std::stoi(name);
    }
    if (pid_ == 0) return;
    const std::string line = ReadAll("/proc/" + std::to_string(pid_) + "/cmdline");
    for (std::size_t at = 0; at < line.size(); at = line.find('\0', at) + 1) {
      arguments_.emplace_back(line.c_str() + at);
    }
    log_ = open(("/proc/" + std::to_string(pid_) + "/fd/2").c_str(), O_WRONLY | O_APPEND);
  }
  ~ApiServerProcess() {
    if (log_ >= 0) close(log_);
  }
  ApiServerProcess(const ApiServerProcess&) = delete;
  ApiServerProcess& operator=(const ApiServerProcess&) = delete;

  bool found() const { return pid_ != 0; }

  void Kill() {
    kill(pid_, SIGKILL);
    // Gone only when its last thread is: until then it may hold the port.
    EXPECT_TRUE(Eventually([&] {
      if (started_) return waitpid(pid_, nullptr, WNOHANG) == pid_;
      const std::string process = "/proc/" + std::to_string(pid_);
      std::error_code gone;
      const std::filesystem::directory_iterator threads(process + "/task", gone);
      return gone || (std::distance(begin(threads), end(threads)) == 1 &&
                      ReadAll(process + "/cmdline").empty());
    }));
  }

  void Start() {
    std::vector<char*> arguments;
    for (std::string& argument : arguments_) arguments.push_back(argument.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, log_, 1);
    posix_spawn_file_actions_adddup2(&actions, log_, 2);
    // It stays when the tests are over.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    EXPECT_EQ(posix_spawnp(&pid_, arguments[0], &actions, &attributes, arguments.data(), environ),
              0)
        << arguments_[0];
    started_ = true;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
  }

 private:
  pid_t pid_ = 0;
  bool started_ = false;  // by us: our child
  std::vector<std::string> arguments_;
  int log_ = -1;
};

TEST_F(ApiServerTest, WhileTheServerIsKilledTheCacheEqualsTheList) {
  const char* const may = std::getenv("ATTRIBUTION_MAY_KILL_API_SERVER");
  if (may == nullptr || std::string(may) != "yes") {
    GTEST_SKIP() << "ATTRIBUTION_MAY_KILL_API_SERVER is not set";
  }
  ApiServerProcess process;
  ASSERT_TRUE(process.found());

  const auto watching = NewHttpClient(LoadKubeconfig());
  const auto cache = NewCache(*watching);
  Informer& maps = cache->InformerFor({.resource = kConfigMaps, .namespaces = {name_space_}});
  std::mutex mutex;
  std::map<std::string, std::string> told;
  const auto tell = [&](const ObjectPtr& map) {
    const std::lock_guard lock(mutex);
    told[NameOf(*map)] = ResourceVersionOf(*map);
  };
  maps.AddEventHandler({.on_add = [&](const ObjectPtr& map, bool) { tell(map); },
                        .on_update = [&](const ObjectPtr&, const ObjectPtr& map) { tell(map); },
                        .on_delete =
                            [&](const ObjectPtr& map, bool) {
                              const std::lock_guard lock(mutex);
                              told.erase(NameOf(*map));
                            }});
  std::stop_source stop;
  cache->Start(stop.get_token());
  ASSERT_TRUE(cache->WaitForSync(stop.get_token(), std::chrono::seconds(30)));

  // Writers that keep on through all of it; what they are refused is not what this is about.
  constexpr int kWriters = 4;
  constexpr int kMaps = 125;  // of each: 500 together
  std::atomic<bool> over{false};
  std::atomic<int> written{0};
  std::vector<std::jthread> writers;
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&, writer] {
      const auto client = NewHttpClient(LoadKubeconfig());
      for (int i = 0; !over; ++i) {
        const std::string name = "w" + std::to_string(writer) + '-' + std::to_string(i % kMaps);
        try {
          if (i >= kMaps && i % 7 == 0) {
            client->Delete(kConfigMaps, {name_space_, name});
          } else {
            client->Patch(kConfigMaps, {name_space_, name},
                          {{"apiVersion", "v1"},
                           {"kind", "ConfigMap"},
                           {"metadata", {{"name", name}}},
                           {"data", {{"value", std::to_string(i)}}}},
                          {.type = PatchType::kApply, .field_manager = "test", .force = true});
          }
          ++written;
        } catch (const ApiError&) {
          std::this_thread::sleep_for(milliseconds(50));
        }
      }
    });
  }
  for (int killed = 0; killed < 5; ++killed) {
    const int before = written;
    ASSERT_TRUE(Eventually([&] { return written >= before + 300; }, std::chrono::minutes(1)));
    process.Kill();
    process.Start();
  }
  const int before = written;
  EXPECT_TRUE(Eventually([&] { return written >= before + 300; }, std::chrono::minutes(1)));
  over = true;
  writers.clear();

  const auto expected = ListAll();
  EXPECT_GT(expected.size(), 300U);
  const auto equal = [&] {
    std::map<std::string, std::string> cached;
    for (const ObjectPtr& map : maps.List()) cached[NameOf(*map)] = ResourceVersionOf(*map);
    cached.erase("kube-root-ca.crt");
    const std::lock_guard lock(mutex);
    told.erase("kube-root-ca.crt");
    return cached == expected && told == expected;
  };
  EXPECT_TRUE(Eventually(equal, std::chrono::seconds(60)));
  stop.request_stop();
  cache->Stop();
}

}  // namespace
}  // namespace kube
