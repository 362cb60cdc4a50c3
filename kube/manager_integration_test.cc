// SPDX-License-Identifier: Apache-2.0
// A manager against a real API server: probes, guarded metrics, leadership, start and stop.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <future>
#include <mutex>
#include <thread>

#include "kube/api_server_fixture.h"
#include "kube/http_ask.h"
#include "kube/manager.h"

namespace kube {
namespace {

using std::chrono::milliseconds;

const Resource kServiceAccounts{"", "v1", "serviceaccounts", "ServiceAccount", true};
const Resource kClusterRoles{"rbac.authorization.k8s.io", "v1", "clusterroles", "ClusterRole",
                             false};
const Resource kClusterRoleBindings{"rbac.authorization.k8s.io", "v1", "clusterrolebindings",
                                    "ClusterRoleBinding", false};

// A port that was free a moment ago.
std::uint16_t FreePort() {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in own{};
  own.sin_family = AF_INET;
  own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof own;
  EXPECT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&own), size), 0);
  getsockname(fd, reinterpret_cast<sockaddr*>(&own), &size);
  close(fd);
  return ntohs(own.sin_port);
}

std::string Address(std::uint16_t port) { return "127.0.0.1:" + std::to_string(port); }

std::string Get(std::uint16_t port, const std::string& target) {
  return Ask(port, "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
}

// Counts.
class Counting final : public Reconciler {
 public:
  Result Reconcile(const Request&, std::stop_token) override {
    ++times;
    return {};
  }
  std::atomic<int> times{0};
};

class ManagerTest : public ApiServerTest {
 protected:
  LeaderElectionOptions Election(const std::string& identity) const {
    return {.name_space = name_space_,
            .name = "lease",
            .identity = identity,
            .lease_duration = milliseconds(3'000),
            .renew_deadline = milliseconds(2'000),
            .retry_period = milliseconds(200)};
  }
  std::string TokenOf(const std::string& account) {
    client_->Create(kServiceAccounts,
                    {{"apiVersion", "v1"},
                     {"kind", "ServiceAccount"},
                     {"metadata", {{"name", account}, {"namespace", name_space_}}}});
    const Resource tokens{"", "v1", "serviceaccounts/" + account + "/token", "TokenRequest", true};
    const Json token = client_->Create(tokens, {{"apiVersion", "authentication.k8s.io/v1"},
                                                {"kind", "TokenRequest"},
                                                {"metadata", {{"namespace", name_space_}}},
                                                {"spec", {{"expirationSeconds", 600}}}});
    return StringAt(token, "/status/token");
  }
};

TEST_F(ManagerTest, RunsItsPartsInOrderAndStopsThem) {
  const std::uint16_t probes = FreePort();
  Manager manager(LoadKubeconfig(),
                  {.name = "test", .health_probe_address = Address(probes), .metrics_address = ""});
  Informer& maps =
      manager.cache().InformerFor({.resource = kConfigMaps, .namespaces = {name_space_}});
  Counting counting;
  manager.AddController({.name = "count"}, counting).Watch(maps);
  std::atomic<bool> ill{false};
  manager.AddReadyCheck("mood", [&] { return ill ? std::string("bad today") : std::string(); });
  std::mutex mutex;
  std::string order;
  const auto runnable = [&](const std::string& name) {
    return [&, name](const std::stop_token& stop) {
      {
        const std::lock_guard lock(mutex);
        order += '+' + name + (maps.HasSynced() ? "(synced) " : " ");
      }
      while (!stop.stop_requested()) std::this_thread::sleep_for(milliseconds(1));
      const std::lock_guard lock(mutex);
      order += '-' + name + ' ';
    };
  };
  manager.Add("leader", runnable("leader"));
  manager.Add("broken", [](const std::stop_token&) { throw std::runtime_error("at once"); });
  client_->Create(kConfigMaps, Map(name_space_, "a", 1));

  std::stop_source stop;
  auto running = std::async(std::launch::async, [&] { return manager.Run(stop.get_token()); });
  EXPECT_TRUE(Eventually([&] { return StatusOf(Get(probes, "/readyz")) == "HTTP/1.1 200"; }));
  EXPECT_TRUE(Eventually([&] { return counting.times >= 1; }));
  EXPECT_EQ(StatusOf(Get(probes, "/healthz")), "HTTP/1.1 200");
  EXPECT_EQ(StatusOf(Get(probes, "/elsewhere")), "HTTP/1.1 404");
  EXPECT_NE(Get(probes, "/readyz?verbose").find("[+]start ok\n[+]mood ok\n"), std::string::npos);
  ill = true;
  const std::string unready = Get(probes, "/readyz");
  EXPECT_EQ(StatusOf(unready), "HTTP/1.1 503");
  EXPECT_NE(unready.find("[-]mood: bad today"), std::string::npos) << unready;
  EXPECT_TRUE(Eventually([&] {
    const std::lock_guard lock(mutex);
    return !order.empty();
  }));

  stop.request_stop();
  EXPECT_EQ(running.get(), 0);
  EXPECT_EQ(order, "+leader(synced) -leader ");
  EXPECT_EQ(Get(probes, "/healthz"), "");
}

TEST_F(ManagerTest, CachesThatCannotBeFilledEndIt) {
  Manager manager(LoadKubeconfig(), {.name = "test",
                                     .health_probe_address = "",
                                     .metrics_address = "",
                                     .cache_sync_timeout = milliseconds(500)});
  manager.cache().InformerFor({.resource = kNowhere});
  EXPECT_EQ(manager.Run(std::stop_token()), 1);
}

TEST_F(ManagerTest, APortThatIsTakenEndsIt) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in own{};
  own.sin_family = AF_INET;
  own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof own;
  ASSERT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&own), size), 0);
  ASSERT_EQ(listen(fd, 1), 0);
  getsockname(fd, reinterpret_cast<sockaddr*>(&own), &size);
  Manager manager(LoadKubeconfig(), {.name = "test",
                                     .health_probe_address = Address(ntohs(own.sin_port)),
                                     .metrics_address = ""});
  EXPECT_EQ(manager.Run(std::stop_token()), 1);
  close(fd);
}

TEST_F(ManagerTest, OneLeadsTheOtherIsReadyAndTakesOver) {
  struct Replica {
    std::uint16_t probes = FreePort();
    std::stop_source stop;
    std::atomic<bool> leads{false};
    std::atomic<bool> everywhere{false};
    std::unique_ptr<Manager> manager;
    std::future<int> running;
  };
  std::array<Replica, 2> replicas;
  for (std::size_t i = 0; i < replicas.size(); ++i) {
    Replica& replica = replicas[i];
    replica.manager = std::make_unique<Manager>(
        LoadKubeconfig(), ManagerOptions{.name = "test",
                                         .health_probe_address = Address(replica.probes),
                                         .metrics_address = "",
                                         .leader_election = Election(std::to_string(i))});
    replica.manager->Add("leads", [&](const std::stop_token&) { replica.leads = true; });
    replica.manager->Add(
        "everywhere", [&](const std::stop_token&) { replica.everywhere = true; }, true);
    replica.running = std::async(std::launch::async,
                                 [&] { return replica.manager->Run(replica.stop.get_token()); });
    if (i == 0) {
      ASSERT_TRUE(Eventually([&] { return replica.leads.load(); }));
    }
  }
  EXPECT_TRUE(
      Eventually([&] { return StatusOf(Get(replicas[1].probes, "/readyz")) == "HTTP/1.1 200"; }));
  EXPECT_TRUE(Eventually([&] { return replicas[1].everywhere.load(); }));
  EXPECT_FALSE(replicas[1].leads);

  replicas[0].stop.request_stop();
  EXPECT_EQ(replicas[0].running.get(), 0);
  EXPECT_TRUE(Eventually([&] { return replicas[1].leads.load(); }));

  // Somebody takes the lease away: the process must end.
  EXPECT_TRUE(Eventually([&] {
    try {
      client_->Patch(kLeases, {name_space_, "lease"},
                     {{"spec", {{"holderIdentity", "thief"}, {"leaseDurationSeconds", 60}}}}, {});
      return true;
    } catch (const ApiError&) {
      return false;
    }
  }));
  EXPECT_EQ(replicas[1].running.get(), 1);
}

TEST_F(ManagerTest, MetricsAreForThoseWhomTheClusterLets) {
  const std::uint16_t port = FreePort();
  Manager manager(LoadKubeconfig(),
                  {.name = "test", .health_probe_address = "", .metrics_address = Address(port)});
  Counting counting;
  manager.AddController({.name = "count"}, counting);
  std::stop_source stop;
  auto running = std::async(std::launch::async, [&] { return manager.Run(stop.get_token()); });
  ASSERT_TRUE(Eventually([&] { return Connection(port).connected(); }));

  const auto get = [&](const std::string& token) {
    return AskOverTls(port, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n" +
                                (token.empty() ? "" : "Authorization: Bearer " + token + "\r\n") +
                                "\r\n")
        .text;
  };
  EXPECT_EQ(StatusOf(get("")), "HTTP/1.1 401");
  EXPECT_EQ(StatusOf(get("nonsense")), "HTTP/1.1 401");
  EXPECT_EQ(StatusOf(get(TokenOf("nobody"))), "HTTP/1.1 403");

  const std::string role = name_space_ + "-metrics";
  client_->Create(kClusterRoles,
                  {{"apiVersion", "rbac.authorization.k8s.io/v1"},
                   {"kind", "ClusterRole"},
                   {"metadata", {{"name", role}}},
                   {"rules", {{{"nonResourceURLs", {"/metrics"}}, {"verbs", {"get"}}}}}});
  client_->Create(
      kClusterRoleBindings,
      {{"apiVersion", "rbac.authorization.k8s.io/v1"},
       {"kind", "ClusterRoleBinding"},
       {"metadata", {{"name", role}}},
       {"roleRef",
        {{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "ClusterRole"}, {"name", role}}},
       {"subjects",
        {{{"kind", "ServiceAccount"}, {"name", "scraper"}, {"namespace", name_space_}}}}});
  const std::string token = TokenOf("scraper");
  // The authorizer hears of the binding a little later; an answer is remembered for a minute.
  std::this_thread::sleep_for(milliseconds(500));
  const std::string metrics = get(token);
  EXPECT_EQ(StatusOf(metrics), "HTTP/1.1 200") << metrics;
  for (const char* const name :
       {"\nprocess_resident_memory_bytes ", "\nrest_client_requests_total{"}) {
    EXPECT_NE(metrics.find(name), std::string::npos) << name;
  }
  client_->Delete(kClusterRoleBindings, {"", role});
  client_->Delete(kClusterRoles, {"", role});
  stop.request_stop();
  EXPECT_EQ(running.get(), 0);
}

}  // namespace
}  // namespace kube
