// SPDX-License-Identifier: Apache-2.0
// A whole operator: each ConfigMap labelled example.dev/greet=NAME gets the key `greeting`.
#include <iostream>
#include <nlohmann/json.hpp>

#include "kube/manager.h"

namespace {

const kube::Resource kConfigMaps{"", "v1", "configmaps", "ConfigMap", true};
constexpr char kLabel[] = "example.dev/greet";

class Greeter final : public kube::Reconciler {
 public:
  Greeter(kube::Client& client, kube::Informer& maps, kube::EventRecorder& events)
      : client_(client), maps_(maps), events_(events) {}

  // Reads the world and moves it towards what it should be. A throw is tried again with a backoff.
  kube::Result Reconcile(const kube::Request& request, std::stop_token stop) override {
    const kube::ObjectPtr map = maps_.Get(request);
    if (!map || kube::IsBeingDeleted(*map)) return {};
    const std::string wanted = "Hello, " + kube::LabelOf(*map, kLabel) + '!';
    if (kube::StringAt(*map, "/data/greeting") == wanted) return {};
    client_.Patch(kConfigMaps, request,
                  {{"metadata", {{"resourceVersion", kube::ResourceVersionOf(*map)}}},
                   {"data", {{"greeting", wanted}}}},
                  {.type = kube::PatchType::kMerge}, {.stop = stop});
    kube::Json regarding = *map;
    regarding["apiVersion"] = "v1";
    regarding["kind"] = "ConfigMap";
    events_.Event(regarding, kube::EventType::kNormal, "Greeted", "Greet", wanted);
    return {};
  }

 private:
  kube::Client& client_;
  kube::Informer& maps_;
  kube::EventRecorder& events_;
};

}  // namespace

int main() {
  const std::stop_token stop = kube::StopOnSignals();
  try {
    const kube::Config config = kube::LoadConfig();
    kube::Manager manager(config, {.name = "example.dev/greeter", .health_probe_address = ""});
    kube::Informer& maps =
        manager.cache().InformerFor({.resource = kConfigMaps, .label_selector = kLabel});
    Greeter greeter(manager.client(), maps, manager.events());
    manager.AddController({.name = "greeter"}, greeter).Watch(maps);
    return manager.Run(stop);
  } catch (const kube::ApiError& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
