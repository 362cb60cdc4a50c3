// SPDX-License-Identifier: Apache-2.0
// Against a real etcd and API server: KUBECONFIG names one that a test may write to.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "kube/api_server_fixture.h"
#include "kube/manager.h"

namespace kube {
namespace {

using std::chrono::milliseconds;

const Resource kEvents{"events.k8s.io", "v1", "events", "Event", true};

TEST_F(ApiServerTest, WritesAreSeenAndRacesAreToldApart) {
  const ObjectKey key{name_space_, "a"};
  const Json created = client_->Create(kConfigMaps, Map(name_space_, "a", 1));
  EXPECT_EQ(client_->Get(kConfigMaps, key), created);
  try {
    client_->Create(kConfigMaps, Map(name_space_, "a", 1));
    FAIL();
  } catch (const ApiError& error) {
    EXPECT_TRUE(error.IsAlreadyExists()) << error.what();
  }
  Json changed = created;
  changed["data"]["value"] = "2";
  const Json updated = client_->Update(kConfigMaps, changed);
  EXPECT_NE(ResourceVersionOf(updated), ResourceVersionOf(created));
  try {
    client_->Update(kConfigMaps, changed);
    FAIL();
  } catch (const ApiError& error) {
    EXPECT_TRUE(error.IsConflict()) << error.what();
  }
  const Json patched =
      client_->Patch(kConfigMaps, key, {{"data", {{"more", "x"}}}}, {.type = PatchType::kMerge});
  EXPECT_EQ(patched["data"]["value"], "2");
  EXPECT_EQ(patched["data"]["more"], "x");
  const Json applied =
      client_->Patch(kConfigMaps, {name_space_, "b"},
                     {{"apiVersion", "v1"},
                      {"kind", "ConfigMap"},
                      {"metadata", {{"name", "b"}}},
                      {"data", {{"by", "apply"}}}},
                     {.type = PatchType::kApply, .field_manager = "test", .force = true});
  EXPECT_EQ(applied["data"]["by"], "apply");
  try {
    client_->Delete(kConfigMaps, key, {.uid = "another"});
    FAIL();
  } catch (const ApiError& error) {
    EXPECT_TRUE(error.IsConflict()) << error.what();
  }
  client_->Delete(kConfigMaps, key, {.uid = UidOf(created)});
  try {
    client_->Get(kConfigMaps, key);
    FAIL();
  } catch (const ApiError& error) {
    EXPECT_TRUE(error.IsNotFound());
    EXPECT_EQ(error.resource, "configmaps");
  }
}

TEST_F(ApiServerTest, ListsComeInPages) {
  for (int i = 0; i < 120; ++i) {
    client_->Create(kConfigMaps, Map(name_space_, "m" + std::to_string(i), i));
  }
  EXPECT_EQ(ListAll().size(), 120U);
  EXPECT_TRUE(client_->Serves(kConfigMaps));
  EXPECT_FALSE(client_->Serves(kNowhere));
}

TEST_F(ApiServerTest, AnInvalidObjectNamesItsFields) {
  Json bad = Map(name_space_, "Not A Name", 1);
  try {
    client_->Create(kConfigMaps, bad);
    FAIL();
  } catch (const ApiError& error) {
    EXPECT_EQ(error.reason, ErrorReason::kInvalid);
    ASSERT_FALSE(error.causes.empty());
    EXPECT_EQ(error.causes[0].field, "metadata.name");
  }
}

// Forwards connections to the API server, and cuts them when it is told to.
class CuttingProxy {
 public:
  CuttingProxy(const std::string& address, int port) {
    sockaddr_in target{};
    target.sin_family = AF_INET;
    target.sin_port = htons(static_cast<std::uint16_t>(port));
    inet_pton(AF_INET, address.c_str(), &target.sin_addr);
    listener_ = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in own{};
    own.sin_family = AF_INET;
    own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&own), sizeof own), 0);
    socklen_t size = sizeof own;
    getsockname(listener_, reinterpret_cast<sockaddr*>(&own), &size);
    port_ = ntohs(own.sin_port);
    listen(listener_, 64);
    accepting_ = std::thread([this, target] {
      for (;;) {
        const int from = accept(listener_, nullptr, nullptr);
        if (from < 0) return;
        const int to = socket(AF_INET, SOCK_STREAM, 0);
        if (down_ || connect(to, reinterpret_cast<const sockaddr*>(&target), sizeof target) != 0) {
          close(from);
          close(to);
          continue;
        }
        const std::lock_guard lock(mutex_);
        open_.insert(from);
        open_.insert(to);
        pumps_.emplace_back([this, from, to] { Pump(from, to); });
        pumps_.emplace_back([this, from, to] { Pump(to, from); });
      }
    });
  }
  ~CuttingProxy() {
    shutdown(listener_, SHUT_RDWR);
    close(listener_);
    accepting_.join();
    Cut();
    for (std::thread& pump : pumps_) pump.join();
    for (const int fd : all_) close(fd);
  }
  CuttingProxy(const CuttingProxy&) = delete;
  CuttingProxy& operator=(const CuttingProxy&) = delete;

  int port() const { return port_; }
  void SetDown(bool down) {
    down_ = down;
    if (down) Cut();
  }
  void Cut() {
    const std::lock_guard lock(mutex_);
    for (const int fd : open_) {
      shutdown(fd, SHUT_RDWR);
      all_.insert(fd);
    }
    open_.clear();
  }

 private:
  static void Pump(int from, int to) {
    char buffer[16 * 1024];
    ssize_t size = 0;
    while ((size = recv(from, buffer, sizeof buffer, 0)) > 0) {
      for (ssize_t sent = 0; sent < size;) {
        const ssize_t n =
            send(to, buffer + sent, static_cast<std::size_t>(size - sent), MSG_NOSIGNAL);
        if (n <= 0) break;
        sent += n;
      }
    }
    shutdown(from, SHUT_RDWR);
    shutdown(to, SHUT_RDWR);
  }

  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> down_{false};
  std::mutex mutex_;
  std::set<int> open_;
  std::set<int> all_;
  std::vector<std::thread> pumps_;
  std::thread accepting_;
};

TEST_F(ApiServerTest, UnderChurnAndCutConnectionsTheCacheEqualsTheList) {
  Config config = LoadKubeconfig();
  const std::string host = config.server.substr(8, config.server.rfind(':') - 8);
  CuttingProxy proxy(host, std::stoi(config.server.substr(config.server.rfind(':') + 1)));
  config.server = "https://127.0.0.1:" + std::to_string(proxy.port());
  const auto watching = NewHttpClient(config);
  const auto cache = NewCache(*watching);
  Informer& maps = cache->InformerFor({.resource = kConfigMaps, .namespaces = {name_space_}});
  std::mutex mutex;
  std::map<std::string, std::string> seen;
  maps.AddEventHandler({.on_add =
                            [&](const ObjectPtr& map, bool) {
                              const std::lock_guard lock(mutex);
                              seen[NameOf(*map)] = ResourceVersionOf(*map);
                            },
                        .on_update =
                            [&](const ObjectPtr&, const ObjectPtr& map) {
                              const std::lock_guard lock(mutex);
                              seen[NameOf(*map)] = ResourceVersionOf(*map);
                            },
                        .on_delete =
                            [&](const ObjectPtr& map, bool) {
                              const std::lock_guard lock(mutex);
                              seen.erase(NameOf(*map));
                            }});
  std::stop_source stop;
  cache->Start(stop.get_token());
  ASSERT_TRUE(cache->WaitForSync(stop.get_token(), std::chrono::seconds(30)));

  std::vector<std::jthread> writers;
  for (int writer = 0; writer < 4; ++writer) {
    writers.emplace_back([&, writer] {
      for (int i = 0; i < 150; ++i) {
        const std::string name = "w" + std::to_string(writer) + '-' + std::to_string(i % 40);
        try {
          if (i % 5 == 4) {
            client_->Delete(kConfigMaps, {name_space_, name});
          } else {
            client_->Patch(kConfigMaps, {name_space_, name},
                           {{"apiVersion", "v1"},
                            {"kind", "ConfigMap"},
                            {"metadata", {{"name", name}}},
                            {"data", {{"value", std::to_string(i)}}}},
                           {.type = PatchType::kApply, .field_manager = "test", .force = true});
          }
        } catch (const ApiError& error) {
          EXPECT_TRUE(error.IsNotFound()) << error.what();
        }
      }
    });
  }
  for (int cut = 0; cut < 10; ++cut) {
    std::this_thread::sleep_for(milliseconds(100));
    proxy.SetDown(true);
    std::this_thread::sleep_for(milliseconds(50));
    proxy.SetDown(false);
  }
  writers.clear();
  const auto expected = ListAll();
  EXPECT_TRUE(Eventually([&] {
    const std::lock_guard lock(mutex);
    seen.erase("kube-root-ca.crt");
    return seen == expected;
  }));
  std::map<std::string, std::string> cached;
  for (const ObjectPtr& map : maps.List()) cached[NameOf(*map)] = ResourceVersionOf(*map);
  cached.erase("kube-root-ca.crt");
  EXPECT_EQ(cached, expected);
  stop.request_stop();
  cache->Stop();
}

TEST_F(ApiServerTest, AnOptionalResourceThatIsNotServedIsEmpty) {
  const auto cache = NewCache(*client_);
  Informer& nowhere = cache->InformerFor({.resource = kNowhere, .optional = true});
  std::stop_source stop;
  cache->Start(stop.get_token());
  EXPECT_TRUE(cache->WaitForSync(stop.get_token(), std::chrono::seconds(10)));
  EXPECT_EQ(nowhere.Size(), 0U);
  stop.request_stop();
  cache->Stop();
}

TEST_F(ApiServerTest, NeverTwoLeadersAndAReleaseHandsOverAtOnce) {
  std::atomic<int> leaders{0};
  std::atomic<int> most{0};
  std::atomic<int> terms{0};
  std::vector<std::stop_source> stops(3);
  std::vector<std::jthread> electors;
  for (std::size_t i = 0; i < stops.size(); ++i) {
    electors.emplace_back([&, i] {
      const auto elector = NewLeaderElector(*client_, {.name_space = name_space_,
                                                       .name = "lease",
                                                       .identity = "e" + std::to_string(i),
                                                       .lease_duration = milliseconds(3'000),
                                                       .renew_deadline = milliseconds(2'000),
                                                       .retry_period = milliseconds(200)});
      const bool orderly = elector->Run(stops[i].get_token(), [&] {
        ++terms;
        most = std::max(most.load(), ++leaders);
      });
      EXPECT_TRUE(orderly);
    });
  }
  const auto holder = [&] {
    try {
      return StringAt(client_->Get(kLeases, {name_space_, "lease"}), "/spec/holderIdentity");
    } catch (const ApiError&) {
      return std::string();
    }
  };
  for (int term = 1; term <= 3; ++term) {
    ASSERT_TRUE(Eventually([&] { return terms == term && !holder().empty(); })) << term;
    const auto index = static_cast<std::size_t>(holder()[1] - '0');
    // It counts itself out before it lets go.
    --leaders;
    const auto began = std::chrono::steady_clock::now();
    stops[index].request_stop();
    if (term < 3) {
      ASSERT_TRUE(Eventually([&] { return terms == term + 1; }));
      EXPECT_LT(std::chrono::steady_clock::now() - began, milliseconds(3'000))
          << "it was not released";
    }
  }
  EXPECT_EQ(most, 1);
}

TEST_F(ApiServerTest, EventsAreWrittenAndRepeatsBecomeASeries) {
  const auto recorder = NewEventRecorder(*client_, "example.dev/test", "pod-1");
  const Json map = client_->Create(kConfigMaps, Map(name_space_, "a", 1));
  for (int i = 0; i < 5; ++i) {
    recorder->Event(map, EventType::kWarning, "Strange", "Look", std::string(2'000, 'n'));
  }
  recorder->Flush(std::chrono::seconds(10));
  std::vector<Json> events;
  client_->List(kEvents, {.name_space = name_space_},
                [&](Json event) { events.push_back(std::move(event)); });
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(StringAt(events[0], "/reason"), "Strange");
  EXPECT_EQ(StringAt(events[0], "/regarding/uid"), UidOf(map));
  EXPECT_EQ(StringAt(events[0], "/note").size(), 1'024U);
  EXPECT_GE(events[0]["series"]["count"], 2);
}

// The README's operator as a process: works, and ends in order on SIGTERM.
TEST_F(ApiServerTest, TheExampleOperatorGreets) {
  client_->Create(kConfigMaps, {{"apiVersion", "v1"},
                                {"kind", "ConfigMap"},
                                {"metadata",
                                 {{"name", "greeted"},
                                  {"namespace", name_space_},
                                  {"labels", {{"example.dev/greet", "world"}}}}}});
  const std::string program =
      (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "kube_example").string();
  char* const arguments[] = {const_cast<char*>(program.c_str()), nullptr};
  pid_t pid = 0;
  ASSERT_EQ(posix_spawn(&pid, program.c_str(), nullptr, nullptr, arguments, environ), 0);
  EXPECT_TRUE(Eventually([&] {
    const Json map = client_->Get(kConfigMaps, {name_space_, "greeted"});
    return StringAt(map, "/data/greeting") == "Hello, world!";
  }));
  kill(pid, SIGTERM);
  int status = 0;
  waitpid(pid, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace kube
