// SPDX-License-Identifier: Apache-2.0
#include "kube/manager.h"

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "kube/http_server.h"
#include "kube/log.h"
#include "kube/metrics_access.h"
#include "kube/self_signed.h"

namespace kube {
namespace {

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (text.empty()) throw std::runtime_error(path + ": cannot be read");
  return text;
}

}  // namespace

class Manager::Impl {
 public:
  Impl(const Config& config, ManagerOptions options)
      : options_(std::move(options)),
        metrics_(NewMetricsRegistry()),
        client_(NewHttpClient(config, metrics_.get())),
        cache_(NewCache(*client_, metrics_.get())),
        events_(NewEventRecorder(*client_, options_.name, options_.instance, metrics_.get())) {}

  int Run(const std::stop_token& stop) {
    try {
      StartServers();
    } catch (const std::exception& error) {
      Log(LogLevel::kError, "cannot start", {{"error", error.what()}});
      return 1;
    }
    for (Added& added : runnables_) {
      if (added.every_replica) Start(added);
    }
    const std::stop_callback on_stop(stop, [this] { Wake(); });
    StartElection();
    const int status = Lead(stop);
    StopAll();
    return status;
  }

  const ManagerOptions options_;
  const std::unique_ptr<MetricsRegistry> metrics_;
  const std::unique_ptr<Client> client_;
  const std::unique_ptr<Cache> cache_;
  const std::unique_ptr<EventRecorder> events_;
  std::vector<std::unique_ptr<Controller>> controllers_;
  struct Added {
    std::string name;
    Runnable run;
    bool every_replica = false;
    std::jthread thread;
  };
  std::vector<Added> runnables_;
  std::map<std::string, std::function<std::string()>> checks_;

 private:
  void Wake() {
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
  }

  void Start(Added& added) {
    added.thread = std::jthread([&added](const std::stop_token& stop) {
      try {
        added.run(stop);
      } catch (const std::exception& error) {
        Log(LogLevel::kError, "a part of the process failed",
            {{"part", added.name}, {"error", error.what()}});
      }
    });
  }

  void StartServers() {
    if (!options_.health_probe_address.empty()) {
      probes_ = StartHttpServer({.address = options_.health_probe_address, .certificate = {}},
                                [this](const ServerRequest& request) { return Probe(request); });
    }
    if (options_.metrics_address.empty()) return;
    ServerOptions server{.address = options_.metrics_address, .certificate = {}};
    if (options_.metrics_secure) {
      access_ = std::make_unique<MetricsAccess>(*client_);
      if (options_.metrics_certificate_file.empty()) {
        server.certificate = [pair = MakeSelfSigned("localhost")] { return pair; };
      } else {
        server.certificate = [certificate = options_.metrics_certificate_file,
                              key = options_.metrics_key_file] {
          return CertificatePair{ReadFile(certificate), ReadFile(key)};
        };
      }
    }
    metrics_server_ = StartHttpServer(
        server, [this](const ServerRequest& request) { return ServeMetrics(request); });
  }

  ServerResponse ServeMetrics(const ServerRequest& request) {
    if (request.path != "/metrics") return {.status = 404, .body = "not found\n"};
    if (access_) {
      std::string problem;
      const int status = access_->Check(request.authorization, &problem);
      if (status != 200) return {.status = status, .body = problem + '\n'};
    }
    return {.content_type = "text/plain; version=0.0.4; charset=utf-8", .body = metrics_->Render()};
  }

  ServerResponse Probe(const ServerRequest& request) {
    if (request.path == "/healthz" || request.path == "/livez") return {.body = "ok\n"};
    if (request.path != "/readyz") return {.status = 404, .body = "not found\n"};
    std::string body;
    bool ready = true;
    const auto line = [&](const std::string& name, const std::string& problem) {
      ready = ready && problem.empty();
      body += problem.empty() ? "[+]" + name + " ok\n" : "[-]" + name + ": " + problem + '\n';
    };
    line("start", starting_ ? "the caches are being filled" : "");
    for (const auto& [name, check] : checks_) line(name, check());
    return {.status = ready ? 200 : 503,
            .body = request.query.find("verbose") != std::string::npos || !ready ? body : "ok\n"};
  }

  void StartElection() {
    if (!options_.leader_election) {
      leading_ = true;
      return;
    }
    starting_ = false;  // a replica that waits for its turn is well
    elector_ = NewLeaderElector(*client_, *options_.leader_election, metrics_.get());
    election_ = std::jthread([this](const std::stop_token& stop) {
      bool orderly = false;
      try {
        orderly = elector_->Run(stop, [this] {
          leading_ = true;
          Wake();
        });
      } catch (const std::exception& error) {
        Log(LogLevel::kError, "leader election failed", {{"error", error.what()}});
      }
      if (!orderly) {
        lost_ = true;
        give_up_.request_stop();
        Wake();
      }
    });
  }

  // True: go on. False: stopped, or leadership lost.
  template <typename Condition>
  bool Wait(const std::stop_token& stop, Condition condition) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stop.stop_requested() || lost_ || condition(); });
    return !stop.stop_requested() && !lost_;
  }

  int Lead(const std::stop_token& stop) {
    if (!Wait(stop, [&] { return leading_.load(); })) return lost_ ? 1 : 0;
    starting_ = true;
    cache_->Start(work_.get_token());
    if (!WaitForCaches(stop)) return stop.stop_requested() ? 0 : 1;
    for (const auto& controller : controllers_) {
      running_.emplace_back([this, &controller] { controller->Run(work_.get_token()); });
    }
    for (Added& added : runnables_) {
      if (!added.every_replica) Start(added);
    }
    starting_ = false;
    Log(LogLevel::kInfo, "started", {{"controllers", std::to_string(controllers_.size())}});
    Wait(stop, [] { return false; });
    return lost_ ? 1 : 0;
  }

  bool WaitForCaches(const std::stop_token& stop) {
    const std::stop_callback on_stop(stop, [&] { give_up_.request_stop(); });
    if (cache_->WaitForSync(give_up_.get_token(), options_.cache_sync_timeout)) return !lost_;
    if (!stop.stop_requested() && !lost_) {
      Log(LogLevel::kError, "the caches could not be filled in time; the warnings above say why",
          {{"timeout_seconds", std::to_string(std::chrono::duration_cast<std::chrono::seconds>(
                                                  options_.cache_sync_timeout)
                                                  .count())}});
    }
    return false;
  }

  // In reverse, within the grace period: then the process ends whatever still runs.
  void StopAll() {
    std::mutex done_mutex;
    std::condition_variable done_changed;
    bool done = false;
    const std::jthread watchdog([&] {
      std::unique_lock lock(done_mutex);
      if (done_changed.wait_for(lock, options_.grace_period, [&] { return done; })) return;
      Log(LogLevel::kError, "did not stop within the grace period", {});
      std::_Exit(1);
    });
    work_.request_stop();
    for (Added& added : runnables_) {
      added.thread.request_stop();
    }
    running_.clear();
    for (Added& added : runnables_) {
      if (added.thread.joinable()) added.thread.join();
    }
    cache_->Stop();
    events_->Flush(std::chrono::seconds(2));
    if (election_.joinable()) {
      election_.request_stop();
      election_.join();
    }
    metrics_server_.reset();
    probes_.reset();
    const std::lock_guard lock(done_mutex);
    done = true;
    done_changed.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> leading_{false};
  std::atomic<bool> lost_{false};
  std::atomic<bool> starting_{true};
  std::stop_source work_;     // of caches and controllers
  std::stop_source give_up_;  // waiting for caches
  std::unique_ptr<MetricsAccess> access_;
  std::unique_ptr<HttpServer> probes_;
  std::unique_ptr<HttpServer> metrics_server_;
  std::unique_ptr<LeaderElector> elector_;
  std::jthread election_;
  std::vector<std::jthread> running_;
};

Manager::Manager(const Config& config, ManagerOptions options)
    : impl_(std::make_unique<Impl>(config, std::move(options))) {}
Manager::~Manager() = default;

Client& Manager::client() { return *impl_->client_; }
Cache& Manager::cache() { return *impl_->cache_; }
EventRecorder& Manager::events() { return *impl_->events_; }
MetricsRegistry& Manager::metrics() { return *impl_->metrics_; }

Controller& Manager::AddController(const ControllerOptions& options, Reconciler& reconciler) {
  impl_->controllers_.push_back(NewController(options, reconciler, impl_->metrics_.get()));
  return *impl_->controllers_.back();
}

void Manager::Add(const std::string& name, Runnable runnable, bool every_replica) {
  impl_->runnables_.push_back({name, std::move(runnable), every_replica, {}});
}

void Manager::AddReadyCheck(const std::string& name, std::function<std::string()> check) {
  impl_->checks_[name] = std::move(check);
}

int Manager::Run(const std::stop_token& stop) { return impl_->Run(stop); }

}  // namespace kube
