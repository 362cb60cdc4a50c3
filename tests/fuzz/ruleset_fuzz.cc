// SPDX-License-Identifier: Apache-2.0
// Hostile rulesets: refused or loaded, never slow, large or fatal.
#include <cstdlib>

#include "engine/ruleset.h"
#include "tests/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::Text(data, size));
  const engine::RulesetLoad load = engine::Ruleset::Load({{"fuzz", text}});
  if ((load.ruleset == nullptr) != !load.problems.empty()) std::abort();
  if (load.problems.size() > 100) std::abort();
  if (load.ruleset != nullptr) engine::RunEmbeddedTests(load.ruleset);
  return 0;
}
