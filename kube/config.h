// SPDX-License-Identifier: Apache-2.0
// Where the API server is and who we are.
#pragma once

#include <string>

namespace kube {

// Files are read again when they change (projected tokens rotate). A plain value.
struct Config {
  std::string server;   // "https://10.96.0.1:443"
  std::string ca_file;  // or:
  std::string ca_data;  // PEM
  std::string client_certificate_file;
  std::string client_certificate_data;  // PEM
  std::string client_key_file;
  std::string client_key_data;  // PEM
  std::string token;
  std::string token_file;  // wins over token
  std::string name_space;  // the context's or the pod's own; "default" if neither says
  std::string user_agent = "attribution";
};

// Service account of the pod. Throws ApiError(kUnknown) that names the missing file or variable.
Config LoadInClusterConfig();

// A kubeconfig file (empty: $KUBECONFIG, then ~/.kube/config); `context` empty: the current one.
// Throws ApiError(kUnknown) that names file and field.
Config LoadKubeconfig(const std::string& file = {}, const std::string& context = {});

// In-cluster if the service account is there, else the kubeconfig.
Config LoadConfig(const std::string& kubeconfig_file = {});

}  // namespace kube
