// SPDX-License-Identifier: Apache-2.0
// A verdict as a person reads it in a terminal: what it is, why, what to do; then what else was
// seen, what is missing and what was read.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace app {

struct ReportOptions {
  bool color = false;  // ANSI colours
  bool wide = false;   // everything there is, instead of what matters most
  // The catalog's title of the verdict's symptom; empty: its id is shown.
  std::string title;
};

// `status` is an Attribution's status, or what engine::ToJson gives. Fields that are absent are
// left out. Everything in it was written by others, so it comes out through VisibleText. Ends with
// a line break.
std::string ReportText(const nlohmann::ordered_json& status, const ReportOptions& options);

// "Failed, User: cudaError out of memory" without colours or a line break.
std::string HeadlineText(const nlohmann::ordered_json& status, std::string_view title);

// Whether the standard output is a terminal that wants colours: TERM is not "dumb", and NO_COLOR
// (no-color.org) is unset or empty.
bool StdoutWantsColor();

}  // namespace app
