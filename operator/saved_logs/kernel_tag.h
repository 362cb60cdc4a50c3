// SPDX-License-Identifier: Apache-2.0
// Which lines of a saved system log are the kernel's.
#pragma once

#include <optional>
#include <string_view>

#include "engine/source.h"

namespace app {

// The longest beginning of a line that is looked at.
inline constexpr std::size_t kKernelTagBytes = 256;

// Whether a line of a system log carries the kernel's tag where syslog daemons and dmesg write it:
// "Dec  2 11:38:27 host kernel: ", "2025-10-03T18:00:02+0000 host kernel: ",
// "<4>1 2025-10-03T18:00:02Z host kernel - - - ", "[  199.234935] ", "kern  :warn  : [...] ",
// "10.0.0.1: kern: warning: [...]: ". A tag anywhere else in the line is somebody's words.
// Who wrote the file could have written the tag as well: for files that a person vouches for, never
// for what is read in a cluster.
bool CarriesKernelTag(std::string_view line);

// Whether a line of a system log is a kernel message whose head was cut off ("NVRM: Xid ..."): all
// that daemons write has one, so that there nobody else's line begins so. Elsewhere it says
// nothing.
bool IsHeadlessKernelLine(std::string_view line);

// What a log is by the look of its first bytes: Kernel when most of its lines carry the kernel's
// tag, Syslog when most begin as a syslog daemon's do, else AppLog.
engine::Source SourceByContent(std::string_view head);

}  // namespace app
