// SPDX-License-Identifier: Apache-2.0
// `attribution`: one program, a subcommand for each of its parts.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <clocale>
#include <csignal>
#include <cstdio>

#include "operator/commands/command.h"
#include "operator/version.h"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // NOLINT(cert-err33-c): cannot fail for SIGPIPE
  CLI::App cli{"A GPU job died; whose problem is it?", "attribution"};
  cli.set_version_flag("--version", app::kVersion);
  cli.require_subcommand(1);
  cli.failure_message(CLI::FailureMessage::help);
  app::Run run;
  app::AddAnalyze(cli, run);
  app::AddExplain(cli, run);
  app::AddRules(cli, run);
  app::AddOperator(cli, run);
  app::AddNodeAgent(cli, run);
  cli.add_subcommand("version", "Prints the version")->callback([&run] {
    run = [] {
      fmt::print("attribution {}\n", app::kVersion);
      return app::kExitDone;
    };
  });
  try {
    cli.parse(argc, argv);
  } catch (const CLI::Success& wanted) {  // --help, --version
    return cli.exit(wanted);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "attribution: {}\nTry --help.\n", error.what());
    return app::kExitBadInput;
  }
  try {
    return run();
  } catch (const std::exception& error) {
    fmt::print(stderr, "attribution: {}\n", error.what());
    return app::kExitFailed;
  }
}
