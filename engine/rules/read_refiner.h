// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/rules/field_reader.h"
#include "engine/rules/model.h"

namespace engine {

// One entry of `refiners`, of any of the four kinds. `problems` is the reader's.
RefinerRule ReadRefiner(FieldReader& reader, ProblemList& problems);

}  // namespace engine
