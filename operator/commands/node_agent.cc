// SPDX-License-Identifier: Apache-2.0
// `attribution node-agent`: what the DaemonSet runs on every node.
#include "operator/node_agent/node_agent.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <memory>

#include "kube/log.h"
#include "kube/manager.h"
#include "operator/commands/command.h"

namespace app {
namespace {

struct Arguments {
  std::string mode = "journal";
  std::string journal_directory = "/host/var/log/journal";
  std::string kmsg_device = "/dev/kmsg";
};

engine::Time Now() {
  return std::chrono::time_point_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now());
}

int RunAgent(const Arguments& arguments) {
  const std::stop_token stop = kube::StopOnSignals();
  try {
    const auto source = arguments.mode == "kmsg"
                            ? OpenKmsg(arguments.kmsg_device, "/proc/sys/kernel/random/boot_id")
                            : OpenJournal(arguments.journal_directory);
    RunNodeAgent(*source, arguments.mode, stop, Now, [](std::string_view line) {
      if (std::fwrite(line.data(), 1, line.size(), stdout) != line.size() ||
          std::fflush(stdout) != 0) {
        throw std::runtime_error("standard output: cannot be written");
      }
    });
    return kExitDone;
  } catch (const std::exception& error) {
    kube::Log(kube::LogLevel::kError, "the kernel log cannot be read", {{"error", error.what()}});
    return kExitFailed;
  }
}

}  // namespace

void AddNodeAgent(CLI::App& app, Run& run) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "node-agent", "Prints the kernel log of its node as JSON lines (run by the DaemonSet)");
  command->add_option("--mode", arguments->mode, "journal (read-only files) or kmsg (privileged)")
      ->check(CLI::IsMember({"journal", "kmsg"}))
      ->capture_default_str();
  command
      ->add_option("--journal-directory", arguments->journal_directory,
                   "Where the node's journal files are mounted")
      ->capture_default_str();
  command->add_option("--kmsg-device", arguments->kmsg_device, "The kernel's log device")
      ->capture_default_str();
  command->callback([arguments, &run] { run = [arguments] { return RunAgent(*arguments); }; });
}

}  // namespace app
