// SPDX-License-Identifier: Apache-2.0
// For tests: a client of which only List, Watch and Serves are used.
#pragma once

#include <memory>

#include "kube/client.h"

namespace kube {

class WatchOnlyClient : public Client {
 public:
  bool Serves(const Resource&, const CallOptions&) override { return true; }

  Json Get(const Resource&, const ObjectKey&, const CallOptions&) override { throw NotUsed(); }
  Json Create(const Resource&, const Json&, const CallOptions&) override { throw NotUsed(); }
  Json Update(const Resource&, const Json&, const CallOptions&) override { throw NotUsed(); }
  Json UpdateStatus(const Resource&, const Json&, const CallOptions&) override { throw NotUsed(); }
  Json Patch(const Resource&, const ObjectKey&, const Json&, const PatchOptions&,
             const CallOptions&) override {
    throw NotUsed();
  }
  void Delete(const Resource&, const ObjectKey&, const DeleteOptions&,
              const CallOptions&) override {
    throw NotUsed();
  }
  std::unique_ptr<ByteStream> Logs(const ObjectKey&, const LogOptions&,
                                   const CallOptions&) override {
    throw NotUsed();
  }
  RawResponse GetRaw(const std::string&, std::size_t, const CallOptions&) override {
    throw NotUsed();
  }

 private:
  static std::logic_error NotUsed() { return std::logic_error("not a watch"); }
};

}  // namespace kube
