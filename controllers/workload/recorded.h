// SPDX-License-Identifier: Apache-2.0
// For tests: objects recorded from a real cluster (Kubernetes 1.37, Kueue 0.17), in
// controllers/testdata.
#pragma once

#include <string>
#include <vector>

#include "kube/object.h"

namespace controllers {

// The object in testdata/NAME.json.
kube::Json Recorded(const std::string& name);

// The objects of the watch events in testdata/NAME.jsonl, in order.
std::vector<kube::Json> RecordedWatch(const std::string& name);

}  // namespace controllers
