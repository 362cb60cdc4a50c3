// SPDX-License-Identifier: Apache-2.0
// From findings to the answer.
#pragma once

#include <string>
#include <vector>

#include "engine/extract/redaction.h"
#include "engine/refine/finding.h"

namespace engine {

// What the streams hold beside symptoms.
struct ReportInputs {
  std::vector<std::string> tail;  // of the first failed container
  std::vector<Gap> gaps;
  std::vector<Fact> facts;
};

// Chooses the root and writes everything down, redacted and within the limits of the resource.
Attribution Report(const Refinement& refinement, const ReportInputs& inputs,
                   const Redaction& redaction);

}  // namespace engine
