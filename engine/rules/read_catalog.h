// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/rules/field_reader.h"
#include "engine/ruleset.h"

namespace engine {

// One entry of `catalog`: a symptom.
CatalogEntry ReadCatalogEntry(FieldReader& reader);

}  // namespace engine
