// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace kube {

struct CertificatePair {
  std::string certificate;  // PEM
  std::string key;          // PEM
};

// A certificate for `name`, signed by its own new key (P-256), valid for ten years. For endpoints
// whose clients don't verify it. Throws std::runtime_error.
CertificatePair MakeSelfSigned(const std::string& name);

}  // namespace kube
