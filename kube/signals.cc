// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "kube/log.h"
#include "kube/manager.h"

namespace kube {

std::stop_token StopOnSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  // Threads inherit the mask, so that only the one below ever gets them.
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::stop_source stop;
  std::thread([signals, stop]() mutable {
    int signal = 0;
    sigwait(&signals, &signal);
    Log(LogLevel::kInfo, "stopping", {{"signal", signal == SIGINT ? "SIGINT" : "SIGTERM"}});
    stop.request_stop();
    sigwait(&signals, &signal);
    _exit(128 + signal);
  }).detach();
  return stop.get_token();
}

}  // namespace kube
