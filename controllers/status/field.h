// SPDX-License-Identifier: Apache-2.0
// Reading fields of objects that may lack them.
#pragma once

#include <cstdint>

#include "kube/object.h"

namespace controllers {

// The value at a JSON pointer; a null value when it is absent. The reference lives as long as
// `object`, or for ever.
const kube::Json& Field(const kube::Json& object, const char* pointer);

// The value as an integer; `otherwise` when it is absent or no integer.
std::int64_t IntegerField(const kube::Json& object, const char* pointer, std::int64_t otherwise);

}  // namespace controllers
