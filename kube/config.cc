// SPDX-License-Identifier: Apache-2.0
#include "kube/config.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "kube/base64.h"
#include "kube/error.h"

namespace kube {
namespace {

namespace fs = std::filesystem;

constexpr char kServiceAccount[] = "/var/run/secrets/kubernetes.io/serviceaccount";

[[noreturn]] void Fail(const std::string& message) {
  throw ApiError(ErrorReason::kUnknown, 0, message);
}

std::string Environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// One entry of a kubeconfig, with what is needed to say where something is wrong.
class Entry {
 public:
  Entry(fs::path file, std::string where, const YAML::Node& node)
      : file_(std::move(file)), where_(std::move(where)), node_(node) {}

  [[noreturn]] void Fail(const std::string& field, const std::string& message) const {
    kube::Fail(fmt::format("kubeconfig {}: {}{}{}: {}", file_.string(), where_,
                           field.empty() ? "" : ".", field, message));
  }

  bool Has(const char* field) const { return static_cast<bool>(node_[field]); }

  std::string Text(const char* field) const {
    const YAML::Node value = node_[field];
    if (!value || value.IsNull()) return {};
    if (!value.IsScalar()) Fail(field, "expected a string");
    return value.Scalar();
  }

  bool Flag(const char* field) const { return Text(field) == "true"; }

  // Paths are relative to the kubeconfig's own folder.
  std::string File(const char* field) const {
    const std::string path = Text(field);
    if (path.empty()) return {};
    const fs::path full =
        fs::path(path).is_absolute() ? fs::path(path) : file_.parent_path() / path;
    if (!fs::exists(full)) Fail(field, fmt::format("{} does not exist", full.string()));
    return full.string();
  }

  std::string Data(const char* field) const {
    const std::string text = Text(field);
    if (text.empty()) return {};
    const auto decoded = DecodeBase64(text);
    if (!decoded) Fail(field, "is not base64");
    return *decoded;
  }

 private:
  const fs::path file_;
  const std::string where_;
  const YAML::Node node_;
};

// The entry called `name` of a named list ("clusters" holds {name, cluster}).
Entry Named(const fs::path& file, const YAML::Node& document, const char* list, const char* field,
            const std::string& name) {
  const YAML::Node entries = document[list];
  if (entries && entries.IsSequence()) {
    for (const YAML::Node& entry : entries) {
      if (!entry.IsMap() || !entry["name"] || entry["name"].Scalar() != name) continue;
      const YAML::Node value = entry[field];
      const std::string where = fmt::format("{}[{}].{}", list, name, field);
      if (!value || !value.IsMap()) {
        Fail(fmt::format("kubeconfig {}: {}: missing", file.string(), where));
      }
      return {file, where, value};
    }
  }
  Fail(fmt::format("kubeconfig {}: {}: no entry named \"{}\"", file.string(), list, name));
}

fs::path KubeconfigPath(const std::string& file) {
  if (!file.empty()) return file;
  if (const std::string variable = Environment("KUBECONFIG"); !variable.empty()) return variable;
  const std::string home = Environment("HOME");
  if (home.empty())
    Fail("no kubeconfig: neither KUBECONFIG nor HOME is set; name one with --kubeconfig");
  return fs::path(home) / ".kube" / "config";
}

void ReadUser(const Entry& user, Config& config) {
  for (const char* unsupported : {"exec", "auth-provider", "username"}) {
    if (user.Has(unsupported)) {
      user.Fail(unsupported, "is not supported; use a client certificate, a token or a tokenFile");
    }
  }
  config.client_certificate_file = user.File("client-certificate");
  config.client_certificate_data = user.Data("client-certificate-data");
  config.client_key_file = user.File("client-key");
  config.client_key_data = user.Data("client-key-data");
  config.token = user.Text("token");
  config.token_file = user.File("tokenFile");
}

}  // namespace

Config LoadInClusterConfig() {
  Config config;
  const std::string host = Environment("KUBERNETES_SERVICE_HOST");
  const std::string port = Environment("KUBERNETES_SERVICE_PORT");
  if (host.empty() || port.empty()) {
    Fail("not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set");
  }
  const bool is_ipv6 = host.find(':') != std::string::npos;
  config.server = fmt::format("https://{}:{}", is_ipv6 ? '[' + host + ']' : host, port);
  config.ca_file = fmt::format("{}/ca.crt", kServiceAccount);
  config.token_file = fmt::format("{}/token", kServiceAccount);
  for (const std::string& file : {config.ca_file, config.token_file}) {
    if (!fs::exists(file)) {
      Fail(fmt::format("{} does not exist; is automountServiceAccountToken off?", file));
    }
  }
  config.name_space = ReadFile(fs::path(kServiceAccount) / "namespace");
  if (config.name_space.empty()) config.name_space = "default";
  return config;
}

Config LoadKubeconfig(const std::string& file, const std::string& context) {
  const fs::path path = fs::absolute(KubeconfigPath(file));
  if (!fs::exists(path)) {
    Fail(fmt::format("kubeconfig {}: does not exist; name one with --kubeconfig or KUBECONFIG",
                     path.string()));
  }
  try {
    const YAML::Node document = YAML::LoadFile(path.string());
    if (!document.IsMap()) Fail(fmt::format("kubeconfig {}: is not a map", path.string()));
    std::string name = context;
    if (name.empty() && document["current-context"]) name = document["current-context"].Scalar();
    if (name.empty()) {
      Fail(fmt::format("kubeconfig {}: current-context: missing; name one with --context",
                       path.string()));
    }
    const Entry chosen = Named(path, document, "contexts", "context", name);
    const Entry cluster = Named(path, document, "clusters", "cluster", chosen.Text("cluster"));
    Config config;
    config.server = cluster.Text("server");
    if (config.server.empty()) cluster.Fail("server", "missing");
    if (cluster.Flag("insecure-skip-tls-verify")) {
      cluster.Fail("insecure-skip-tls-verify",
                   "is not supported; give certificate-authority-data instead");
    }
    config.ca_file = cluster.File("certificate-authority");
    config.ca_data = cluster.Data("certificate-authority-data");
    config.name_space = chosen.Text("namespace");
    if (config.name_space.empty()) config.name_space = "default";
    if (const std::string user = chosen.Text("user"); !user.empty()) {
      ReadUser(Named(path, document, "users", "user", user), config);
    }
    return config;
  } catch (const YAML::Exception& error) {
    Fail(fmt::format("kubeconfig {}: line {}: {}", path.string(), error.mark.line + 1, error.msg));
  }
}

Config LoadConfig(const std::string& kubeconfig_file) {
  if (kubeconfig_file.empty() && !Environment("KUBERNETES_SERVICE_HOST").empty() &&
      fs::exists(fs::path(kServiceAccount) / "token")) {
    return LoadInClusterConfig();
  }
  return LoadKubeconfig(kubeconfig_file);
}

}  // namespace kube
