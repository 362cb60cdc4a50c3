// SPDX-License-Identifier: Apache-2.0
// SHA-256, for names and digests.
#pragma once

#include <string>
#include <string_view>

namespace controllers {

// 64 lower-case hexadecimal digits. Never fails.
std::string Sha256Hex(std::string_view text);

}  // namespace controllers
