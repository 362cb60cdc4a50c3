// SPDX-License-Identifier: Apache-2.0
#include "engine/extract/pci_address.h"

#include <gtest/gtest.h>

namespace engine {
namespace {

TEST(PciAddressTest, EverySpellingIsTheSame) {
  for (const char* text :
       {"0000:3b:00", "0000:3b:00.0", "00000000:3B:00.0", "3b:00.0", "3B:00", "PCI:0000:3b:00"}) {
    EXPECT_EQ(NormalPciAddress(text), "0000:3b:00") << text;
  }
  EXPECT_EQ(NormalPciAddress("0009:01:00"), "0009:01:00");
  EXPECT_EQ(NormalPciAddress("0000:10:1c"), "0000:10:1c");
}

TEST(PciAddressTest, NonsenseIsEmpty) {
  for (const char* text : {"", "3b", "zz:00", "0000:3b:00:00", "0000:1ff:00", "0000:3b:"}) {
    EXPECT_EQ(NormalPciAddress(text), "") << text;
  }
}

}  // namespace
}  // namespace engine
