// SPDX-License-Identifier: Apache-2.0
#include "kube/leader_election.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <random>
#include <utility>

#include "kube/log.h"
#include "kube/metrics.h"
#include "kube/micro_time.h"

namespace kube {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

const Resource kLeases{"coordination.k8s.io", "v1", "leases", "Lease", true};

std::int64_t Seconds(milliseconds time) {
  return std::max<std::int64_t>(1, std::chrono::ceil<std::chrono::seconds>(time).count());
}

class Elector final : public LeaderElector {
 public:
  Elector(Client& client, LeaderElectionOptions options, MetricsRegistry* metrics)
      : client_(client), options_(std::move(options)), metrics_(metrics) {}

  bool Run(std::stop_token stop, const std::function<void()>& on_started) override {
    Log(LogLevel::kInfo, "waiting to become leader",
        {{"lease", Key().ToString()}, {"identity", options_.identity}});
    Report(false);
    while (!stop.stop_requested() && !TryAcquireOrRenew(stop, options_.retry_period)) {
      Sleep(Jittered(), stop);
    }
    if (stop.stop_requested()) {
      Release();  // it may have been taken in the last attempt
      return true;
    }
    leader_ = true;
    Report(true);
    Log(LogLevel::kInfo, "became leader", {{"lease", Key().ToString()}});
    on_started();
    const bool kept = Renew(stop);
    leader_ = false;
    Report(false);
    if (kept) {
      Release();
      return true;
    }
    Log(LogLevel::kError, "lost leadership", {{"lease", Key().ToString()}});
    return false;
  }

  bool IsLeader() const override { return leader_; }

 private:
  ObjectKey Key() const { return {options_.name_space, options_.name}; }

  // True when stopped, false when the lease could not be renewed in time.
  bool Renew(const std::stop_token& stop) {
    Clock::time_point renewed = Clock::now();
    while (!stop.stop_requested()) {
      const auto deadline = renewed + options_.renew_deadline;
      const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
      if (left <= milliseconds(0)) return false;
      const auto began = Clock::now();
      if (TryAcquireOrRenew(stop, std::min(left, options_.renew_deadline / 2))) {
        renewed = began;
      } else if (!stop.stop_requested() && observed_holder_ != options_.identity &&
                 !observed_holder_.empty()) {
        return false;  // somebody else has it
      }
      Sleep(options_.retry_period, stop);
    }
    return true;
  }

  bool TryAcquireOrRenew(const std::stop_token& stop, milliseconds deadline) {
    const CallOptions call{.deadline = std::max(deadline, milliseconds(100)), .stop = stop};
    try {
      Json lease;
      try {
        lease = client_.Get(kLeases, Key(), call);
      } catch (const ApiError& error) {
        if (!error.IsNotFound()) throw;
        lease = client_.Create(kLeases, NewLease(), call);
        Observe(lease);
        return true;
      }
      Observe(lease);
      const bool held_by_other = !observed_holder_.empty() && observed_holder_ != options_.identity;
      if (held_by_other && Clock::now() < observed_time_ + observed_duration_) return false;

      Json& spec = lease["spec"];
      const std::string now = MicroTime(std::chrono::system_clock::now());
      if (observed_holder_ != options_.identity) {
        spec["acquireTime"] = now;
        spec["leaseTransitions"] = spec.value("leaseTransitions", 0) + 1;
      }
      spec["holderIdentity"] = options_.identity;
      spec["leaseDurationSeconds"] = Seconds(options_.lease_duration);
      spec["renewTime"] = now;
      Observe(client_.Update(kLeases, lease, call));
      return true;
    } catch (const ApiError& error) {
      if (!stop.stop_requested() && !error.IsConflict() && !error.IsAlreadyExists()) {
        Log(LogLevel::kWarning, "the lease cannot be read or written",
            {{"lease", Key().ToString()}, {"error", error.what()}});
      }
      return false;
    }
  }

  Json NewLease() const {
    const std::string now = MicroTime(std::chrono::system_clock::now());
    return {{"apiVersion", kLeases.ApiVersion()},
            {"kind", kLeases.kind},
            {"metadata", {{"name", options_.name}, {"namespace", options_.name_space}}},
            {"spec",
             {{"holderIdentity", options_.identity},
              {"leaseDurationSeconds", Seconds(options_.lease_duration)},
              {"acquireTime", now},
              {"renewTime", now},
              {"leaseTransitions", 0}}}};
  }

  // The lease's own times were written by somebody else's clock: what counts is when a change was
  // seen here.
  void Observe(const Json& lease) {
    const std::string version = ResourceVersionOf(lease);
    observed_holder_ = StringAt(lease, "/spec/holderIdentity");
    if (version == observed_version_) return;
    observed_version_ = version;
    observed_time_ = Clock::now();
    const auto seconds = lease.value(Json::json_pointer("/spec/leaseDurationSeconds"),
                                     Seconds(options_.lease_duration));
    observed_duration_ = std::chrono::seconds(seconds);
  }

  void Release() {
    if (observed_holder_ != options_.identity) return;
    try {
      Json lease = client_.Get(kLeases, Key(), {.deadline = std::chrono::seconds(2)});
      if (StringAt(lease, "/spec/holderIdentity") != options_.identity) return;
      lease["spec"]["holderIdentity"] = "";
      lease["spec"]["leaseDurationSeconds"] = 1;
      lease["spec"]["renewTime"] = MicroTime(std::chrono::system_clock::now());
      client_.Update(kLeases, lease, {.deadline = std::chrono::seconds(2)});
    } catch (const ApiError& error) {
      Log(LogLevel::kWarning, "the lease was not released and will expire",
          {{"lease", Key().ToString()}, {"error", error.what()}});
    }
  }

  milliseconds Jittered() {
    return options_.retry_period + milliseconds(std::uniform_int_distribution<std::int64_t>(
                                       0, options_.retry_period.count() / 5)(random_));
  }

  static void Sleep(milliseconds time, const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any sleep;
    std::unique_lock lock(mutex);
    sleep.wait_for(lock, stop, time, [] { return false; });
  }

  void Report(bool leading) {
    if (metrics_ == nullptr) return;
    metrics_->Set("leader_election_master_status",
                  "Gauge of if the reporting system is master of the relevant lease, 0 indicates "
                  "backup, 1 indicates master. 'name' is the string used to identify the lease.",
                  {{"name", options_.name}}, leading ? 1 : 0);
  }

  Client& client_;
  const LeaderElectionOptions options_;
  MetricsRegistry* const metrics_;
  std::minstd_rand random_{std::random_device{}()};
  std::atomic<bool> leader_{false};
  std::string observed_version_;
  std::string observed_holder_;
  Clock::time_point observed_time_{};
  milliseconds observed_duration_{0};
};

}  // namespace

std::unique_ptr<LeaderElector> NewLeaderElector(Client& client,
                                                const LeaderElectionOptions& options,
                                                MetricsRegistry* metrics) {
  return std::make_unique<Elector>(client, options, metrics);
}

}  // namespace kube
