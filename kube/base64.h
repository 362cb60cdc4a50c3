// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kube {

// Standard alphabet, with padding; white space is skipped. nullopt when it isn't base64.
std::optional<std::string> DecodeBase64(std::string_view text);

}  // namespace kube
