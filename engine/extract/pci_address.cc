// SPDX-License-Identifier: Apache-2.0
#include "engine/extract/pci_address.h"

#include <fmt/format.h>

#include <charconv>
#include <vector>

namespace engine {

std::string NormalPciAddress(std::string_view text) {
  if (text.starts_with("PCI:")) text.remove_prefix(4);
  if (const std::size_t dot = text.find('.'); dot != std::string_view::npos) {
    text = text.substr(0, dot);
  }
  std::vector<unsigned> parts;
  while (true) {
    const std::size_t colon = text.find(':');
    const std::string_view part = text.substr(0, colon);
    unsigned value = 0;
    const auto [rest, error] = std::from_chars(part.data(), part.data() + part.size(), value, 16);
    if (error != std::errc() || rest != part.data() + part.size()) return {};
    parts.push_back(value);
    if (colon == std::string_view::npos) break;
    text.remove_prefix(colon + 1);
  }
  if (parts.size() == 2) parts.insert(parts.begin(), 0);
  if (parts.size() != 3 || parts[1] > 0xFF || parts[2] > 0x1F) return {};
  return fmt::format("{:04x}:{:02x}:{:02x}", parts[0], parts[1], parts[2]);
}

}  // namespace engine
