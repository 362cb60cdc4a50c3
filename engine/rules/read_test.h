// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/rules/field_reader.h"
#include "engine/rules/model.h"

namespace engine {

// One entry of `tests`: a whole case and what must come of it. `problems` is the reader's.
TestRule ReadTest(FieldReader& reader, ProblemList& problems);

}  // namespace engine
