// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/extraction/logs.h"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>

namespace bench {
namespace {

// SplitMix64: the standard library's distributions differ between libraries.
class Random {
 public:
  unsigned Below(unsigned limit) {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return static_cast<unsigned>((z ^ (z >> 31U)) % limit);
  }

 private:
  std::uint64_t state_ = 4711;
};

template <typename... Args>
void Append(std::string& log, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(log), format, std::forward<Args>(args)...);
}

// Microseconds since the log began, as the clock of a day.
void AppendClock(std::string& log, std::uint64_t microseconds) {
  const std::uint64_t seconds = microseconds / 1'000'000;
  Append(log, "{:02}:{:02}:{:02}", seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
}

void AppendNoise(std::string& log, Random& random, std::uint64_t step) {
  const unsigned kind = random.Below(100);
  const unsigned rank = random.Below(8);
  if (kind < 40) {
    log += "2026-12-01 ";
    AppendClock(log, step * 2'000);
    Append(log,
           ",{:03} INFO trainer.py:{} step {} | loss {}.{:04} | lr 3.{:02}e-04 | grad norm 0.{:03} "
           "| {} tokens/s | {}.{} ms/it\n",
           random.Below(1000), 100 + random.Below(400), step, 1 + random.Below(3),
           random.Below(10'000), random.Below(100), random.Below(1000), 30'000 + random.Below(9000),
           200 + random.Below(100), random.Below(10));
  } else if (kind < 60) {
    Append(log,
           "Epoch {}: {:3}%|\u2588\u2588\u2588\u2588\u258f     | {}/10000 [{:02}:{:02}<17:12, "
           " {}.{:02}it/s, loss=2.{:03}]\r",
           step / 10'000, step / 100 % 100, step % 10'000, step / 60 % 60, step % 60,
           1 + random.Below(9), random.Below(100), random.Below(1000));
  } else if (kind < 72) {
    Append(log, "node-{}:{}:{} [{}] NCCL INFO Channel {:02}/0 : {}[{}] -> {}[{}] via {}\n",
           random.Below(16), 4000 + rank, 5000 + random.Below(999), rank, random.Below(16), rank,
           rank, (rank + 1) % 8, (rank + 1) % 8,
           random.Below(2) == 0 ? "P2P/CUMEM/read" : "NET/IB/0/GDRDMA");
  } else if (kind < 80) {
    Append(log,
           "node-{}:{}:{} [{}] NCCL INFO comm 0x55d0{:08x} rank {} nranks 128 cudaDev {} busId "
           "{:x}000 - Init COMPLETE\n",
           random.Below(16), 4000 + rank, 5000 + random.Below(999), rank, random.Below(1U << 31U),
           rank, rank, 16 + random.Below(200));
  } else if (kind < 90) {
    Append(
        log,
        "[rank{}]: iteration {:8}/ 500000 | consumed samples: {:12} | elapsed time per iteration "
        "(ms): {}.{} | global batch size: 1024 | lm loss: {}.{:06}E+00 | skipped iterations: 0 "
        "| nan iterations: 0 |\n",
        rank, step, step * 1024, 900 + random.Below(90), random.Below(10), 1 + random.Below(3),
        random.Below(1'000'000));
  } else if (kind < 96) {
    Append(log, "[{}]: saving shard {} of checkpoint-{} to /mnt/ckpt/run-{} ({} MB/s)\n", rank,
           random.Below(64), step, random.Below(90), 400 + random.Below(900));
  } else if (kind < 99) {
    Append(log, "10.0.{}.{} - - \"GET /metrics HTTP/1.1\" 200 {} \"-\" \"Prometheus/2.51.0\"\n",
           random.Below(256), random.Below(256), 2000 + random.Below(9000));
  } else {
    Append(
        log,
        "/usr/lib/python3/dist-packages/torch/utils/data/dataset.py:{}: UserWarning: the sampler "
        "has {} items left\n",
        100 + random.Below(50), random.Below(100));
  }
}

void AppendKernel(std::string& log, Random& random, std::uint64_t step) {
  log += "Dec  1 ";
  AppendClock(log, step * 200'000);
  Append(log, " node-7 kernel: [{:6}.{:06}] ", 1000 + step / 5, random.Below(1'000'000));
  const unsigned port = random.Below(60);
  switch (random.Below(12)) {
    case 0:
      Append(log, "cni0: port {}(veth{:08x}) entered forwarding state\n", port,
             random.Below(1U << 31U));
      break;
    case 1:
      Append(log, "IPv6: ADDRCONF(NETDEV_CHANGE): veth{:08x}: link becomes ready\n",
             random.Below(1U << 31U));
      break;
    case 2:
      Append(log,
             "audit: type=1400 audit(1764561600.{:03}:{}): apparmor=\"STATUS\" "
             "operation=\"profile_replace\" profile=\"cri-containerd.apparmor.d\" pid={}\n",
             random.Below(1000), step, 1000 + random.Below(60'000));
      break;
    case 3:
      Append(log, "mlx5_core 0000:{:02x}:00.0 rdma{}: Link up\n", random.Below(200),
             random.Below(8));
      break;
    case 4:
      Append(log,
             "EXT4-fs (nvme{}n1p1): mounted filesystem with ordered data mode. Quota mode: "
             "none.\n",
             random.Below(8));
      break;
    case 5:
      Append(log,
             "perf: interrupt took too long ({} > {}), lowering "
             "kernel.perf_event_max_sample_rate to {}\n",
             2500 + random.Below(900), 2400 + random.Below(90), 50'000 + random.Below(9000));
      break;
    case 6:
      Append(log, "nvidia 0000:{:02x}:00.0: enabling device (0140 -> 0142)\n", random.Below(200));
      break;
    case 7:
      Append(log,
             "overlayfs: upper fs does not support xattr, falling back to index=off and "
             "metacopy=off.\n");
      break;
    case 8:
      Append(log, "device veth{:08x} left promiscuous mode\n", random.Below(1U << 31U));
      break;
    case 9:
      Append(log, "TCP: request_sock_TCP: Possible SYN flooding on port {}. Sending cookies.\n",
             1024 + random.Below(60'000));
      break;
    case 10:
      Append(log, "systemd[1]: Started containerd container {:08x}{:08x}.\n",
             random.Below(1U << 31U), random.Below(1U << 31U));
      break;
    default:
      Append(log, "nvidia-modeset: Allocated GPU:{} (GPU-{:08x}) @ PCI:0000:{:02x}:00.0\n",
             random.Below(8), random.Below(1U << 31U), random.Below(200));
      break;
  }
}

}  // namespace

std::string NoiseLog(std::size_t bytes) {
  Random random;
  std::string log;
  log.reserve(bytes + 1024);
  for (std::uint64_t step = 0; log.size() < bytes; ++step) AppendNoise(log, random, step);
  log += '\n';
  return log;
}

std::string ErrorLog(const std::vector<std::string>& errors, unsigned frames, std::size_t bytes) {
  Random random;
  std::string log;
  log.reserve(bytes + 16'384);
  for (std::uint64_t step = 0; log.size() < bytes; ++step) {
    const unsigned rank = random.Below(8);
    const auto front = [&] {
      log += "2026-12-01T";
      AppendClock(log, step * 3'000);
      Append(log, ".{:06}Z [rank{}]: ", random.Below(1'000'000), rank);
    };
    for (unsigned frame = 0; frame < frames; ++frame) {
      front();
      Append(log, "  File \"/app/src/model/layers_{}.py\", line {}, in forward\n", random.Below(64),
             random.Below(2000));
      front();
      Append(log, "    hidden = self.block_{}(hidden, mask=mask[:, {}:])\n", random.Below(64),
             random.Below(2000));
    }
    front();
    log += errors[random.Below(static_cast<unsigned>(errors.size()))];
    log += '\n';
  }
  return log;
}

std::string KernelLog(std::size_t bytes) {
  Random random;
  std::string log;
  log.reserve(bytes + 1024);
  for (std::uint64_t step = 0; log.size() < bytes; ++step) AppendKernel(log, random, step);
  return log;
}

}  // namespace bench
