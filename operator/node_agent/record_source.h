// SPDX-License-Identifier: Apache-2.0
// Where the node agent reads the kernel's log from.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "operator/node_agent/kernel_record.h"

namespace app {

// Used by one thread.
class RecordSource {
 public:
  enum class Event {
    kRecord,   // `record` is set
    kIdle,     // nothing more at the moment
    kOverrun,  // records older than `record`'s time are gone that nobody has read
  };

  virtual ~RecordSource() = default;
  // Waits for at most `timeout`. Throws std::runtime_error that names file, error and remedy.
  virtual Event Next(KernelRecord* record, std::chrono::milliseconds timeout) = 0;
  // Of the boot that is being read; empty while nothing has been read.
  virtual const std::string& boot_id() const = 0;
};

// The journal files below `directory`, read-only: the kernel's records (_TRANSPORT=kernel) of the
// newest boot, then what is added. First an overrun where that boot's beginning has been vacuumed
// away, as far as the journal has the kernel's own times. The journal tells user space's writes to
// /dev/kmsg from the kernel's own by the facility alone, so that is passed on.
std::unique_ptr<RecordSource> OpenJournal(const std::string& directory);

// /dev/kmsg from the oldest record in the ring buffer on (Linux,
// Documentation/ABI/testing/dev-kmsg); first an overrun where that is not the boot's first.
// `boot_id_file` is /proc/sys/kernel/random/boot_id.
std::unique_ptr<RecordSource> OpenKmsg(const std::string& device, const std::string& boot_id_file);

}  // namespace app
