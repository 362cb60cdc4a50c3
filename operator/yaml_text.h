// SPDX-License-Identifier: Apache-2.0
// JSON values as YAML text.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace app {

// A block-style document that any YAML 1.1 or 1.2 reader takes for the same value: keys in the
// given order, strings always in double quotes, so that none is taken for a number, a bool or a
// date. Ends with a line break.
std::string YamlText(const nlohmann::ordered_json& value);

}  // namespace app
