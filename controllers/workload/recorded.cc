// SPDX-License-Identifier: Apache-2.0
#include "controllers/workload/recorded.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace controllers {
namespace {

std::ifstream Open(const std::string& name) {
  const std::string path = "controllers/testdata/" + name;
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + ": cannot be read; run the tests from the top folder");
  return file;
}

}  // namespace

kube::Json Recorded(const std::string& name) {
  std::ifstream file = Open(name + ".json");
  return kube::Json::parse(file);
}

std::vector<kube::Json> RecordedWatch(const std::string& name) {
  std::ifstream file = Open(name + ".jsonl");
  std::vector<kube::Json> objects;
  for (std::string line; std::getline(file, line);) {
    objects.push_back(kube::Json::parse(line).at("object"));
  }
  return objects;
}

}  // namespace controllers
