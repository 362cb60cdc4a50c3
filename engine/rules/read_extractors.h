// SPDX-License-Identifier: Apache-2.0
// What reads lines: extractors with their tables, and collectors.
#pragma once

#include "engine/rules/field_reader.h"
#include "engine/rules/model.h"

namespace engine {

// One entry of the list of that name. `problems` is the reader's.
ExtractorRule ReadExtractor(FieldReader& reader, ProblemList& problems);
TableRule ReadTable(FieldReader& reader, ProblemList& problems);
CollectorRule ReadCollector(FieldReader& reader);

}  // namespace engine
