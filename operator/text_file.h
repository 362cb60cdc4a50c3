// SPDX-License-Identifier: Apache-2.0
// Files that are small enough to be held: rulesets, cases, thresholds.
#pragma once

#include <string>

namespace app {

// Appends what a file ("-": the standard input) holds, decompressed. False: `error` says what is
// wrong, without the path; more than 16 MiB are refused.
bool ReadTextFile(const std::string& path, std::string* text, std::string* error);

}  // namespace app
