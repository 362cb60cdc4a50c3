// SPDX-License-Identifier: Apache-2.0
// `attribution explain job/NAME`, also `kubectl attribution explain job/NAME`: the verdict of a
// workload in the cluster, as `analyze` shows it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "engine/ruleset.h"
#include "kube/client.h"
#include "kube/config.h"
#include "operator/commands/command.h"
#include "operator/report_text.h"
#include "operator/visible_text.h"
#include "operator/yaml_text.h"

namespace app {
namespace {

struct Arguments {
  std::string target;
  std::string name_space;
  std::string kubeconfig;
  std::string context;
  std::string output = "text";
};

const kube::Resource kAttributions{"attribution.dev", "v1alpha1", "attributions", "Attribution",
                                   true};

// The built-in rules' title of a symptom; a site's own symptoms are shown by their id.
std::string TitleOf(const std::string& symptom) {
  if (symptom.empty()) return {};
  const auto ruleset = engine::Ruleset::Load(engine::Ruleset::BuiltinDocuments()).ruleset;
  const engine::CatalogEntry* const entry =
      ruleset == nullptr ? nullptr : ruleset->FindSymptom(symptom);
  return entry == nullptr ? std::string() : entry->title;
}

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// "jobs.batch", "jobs", "job" name the same kind.
bool NamesKind(const std::string& given, const std::string& kind) {
  const std::string word = Lower(given.substr(0, given.find('.')));
  return word == Lower(kind) || word == Lower(kind) + "s";
}

// Newest first: a workload has one Attribution per attempt.
std::vector<kube::Json> Find(kube::Client& client, const Arguments& arguments,
                             const std::string& name_space) {
  const std::size_t slash = arguments.target.find('/');
  const std::string kind = slash == std::string::npos ? "job" : arguments.target.substr(0, slash);
  const std::string name =
      slash == std::string::npos ? arguments.target : arguments.target.substr(slash + 1);
  std::vector<kube::Json> found;
  if (NamesKind(kind, "attribution") || kind == "attr") {
    found.push_back(client.Get(kAttributions, {name_space, name}));
    return found;
  }
  client.List(kAttributions, {.name_space = name_space}, [&](kube::Json attribution) {
    if (kube::StringAt(attribution, "/spec/workload/name") == name &&
        NamesKind(kind, kube::StringAt(attribution, "/spec/workload/kind"))) {
      found.push_back(std::move(attribution));
    }
  });
  std::sort(found.begin(), found.end(), [](const kube::Json& a, const kube::Json& b) {
    return kube::StringAt(a, "/metadata/creationTimestamp") >
           kube::StringAt(b, "/metadata/creationTimestamp");
  });
  return found;
}

int Explain(const Arguments& arguments) {
  try {
    const kube::Config config = arguments.context.empty()
                                    ? kube::LoadConfig(arguments.kubeconfig)
                                    : kube::LoadKubeconfig(arguments.kubeconfig, arguments.context);
    const auto client = kube::NewHttpClient(config);
    const std::string name_space =
        arguments.name_space.empty() ? config.name_space : arguments.name_space;
    const std::vector<kube::Json> found = Find(*client, arguments, name_space);
    if (found.empty()) {
      fmt::print(stderr,
                 "attribution explain: no Attribution of {} in namespace {}: it has not failed, "
                 "isn't watched (label attribution.dev/watch: \"true\" asks for it), or is in "
                 "another namespace (-n)\n",
                 VisibleText(arguments.target), VisibleText(name_space));
      return kExitBadInput;
    }
    const auto newest = nlohmann::ordered_json::parse(found.front().dump());
    const auto status = newest.value("status", nlohmann::ordered_json::object());
    if (arguments.output == "json") {
      fmt::print("{}\n", status.dump(2));
    } else if (arguments.output == "yaml") {
      fmt::print("{}", YamlText(status));
    } else {
      fmt::print("{}", ReportText(status, {.color = StdoutWantsColor(),
                                           .wide = arguments.output == "wide",
                                           .title = TitleOf(kube::StringAt(
                                               found.front(), "/status/verdict/symptom"))}));
      if (found.size() > 1) {
        fmt::print("\nThe newest of {} attempts; kubectl get attributions shows all.\n",
                   found.size());
      }
    }
    return kube::StringAt(found.front(), "/status/verdict/result") == "Unknown" ? kExitUnknown
                                                                                : kExitDone;
  } catch (const kube::ApiError& error) {
    fmt::print(stderr, "attribution explain: {}\n", VisibleText(error.what()));
    return kExitFailed;
  }
}

}  // namespace

void AddExplain(CLI::App& app, Run& run) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "explain", "Whose problem is it? The verdict on a workload in the cluster");
  command->add_option("workload", arguments->target, "job/NAME, workload/NAME or attribution/NAME")
      ->required();
  command->add_option("-n,--namespace", arguments->name_space, "Default: the context's");
  command->add_option("--kubeconfig", arguments->kubeconfig,
                      "Default: $KUBECONFIG, ~/.kube/config");
  command->add_option("--context", arguments->context, "Default: the current one");
  command->add_option("-o,--output", arguments->output, "text, wide, json or yaml")
      ->check(CLI::IsMember({"text", "wide", "json", "yaml"}));
  command->callback([arguments, &run] { run = [arguments] { return Explain(*arguments); }; });
}

}  // namespace app
