// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace engine {

// "0000:3b:00" of any spelling: "0000:3b:00.0", "00000000:3B:00.0", "3b:00.0", "PCI:0000:3b:00".
// The function is left out: a GPU is the whole device. Empty when it is no PCI address.
std::string NormalPciAddress(std::string_view text);

}  // namespace engine
