// SPDX-License-Identifier: Apache-2.0
// Parts of objects that are worth keeping in memory.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "kube/object.h"

namespace controllers {

// A copy that has only the values at these JSON pointers, as far as they exist.
kube::Json KeepOnly(const kube::Json& object, std::initializer_list<const char*> pointers);

// What every kept object has of its metadata: names, UIDs, versions, times, labels, owners.
kube::Json KeepMetadata(const kube::Json& object);

// Of a pod's spec (or a template's): containers with name, resources and restart policy, and
// claims.
kube::Json KeepContainers(const kube::Json& pod_spec);

// The resources that a pod's spec requests, sorted, each once; kResourceClaims for DRA claims.
std::vector<std::string> RequestedResources(const kube::Json& pod_spec);

// A quantity of an extended resource, which is a whole number; 0 for anything else.
std::int64_t WholeNumber(const kube::Json& quantity);

// How many accelerators its containers hold by their limits (extended resources are whole numbers).
std::int64_t AcceleratorsRequested(const kube::Json& pod_spec);

}  // namespace controllers
