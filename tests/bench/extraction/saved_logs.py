# SPDX-License-Identifier: Apache-2.0
"""`attribution analyze` on a folder of logs: saved_logs.py BUILD_FOLDER [GIGABYTES [FILES]].

Time, memory and how busy the processors were. The files are links to a few logs of training jobs,
each with one failure at its end. Then logs that tempt a reader to hold them whole. Fails when more
memory was taken than is allowed.
"""

import gzip
import os
import pathlib
import subprocess
import sys
import tempfile
import time

DISTINCT = 4
MAX_MIB = 256
FAILURE = b"RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB\n"


def analyze(build, path):
    """Seconds, processors busy, MiB."""
    began = time.monotonic()
    with subprocess.Popen([build / "attribution", "analyze", "-o", "json", path], stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - began
    if process.returncode != 0:
        sys.exit(f"analyze ended with {process.returncode}")
    memory = usage.ru_maxrss / 1024
    if memory > MAX_MIB:
        sys.exit(f"{path}: analyze took {memory:.0f} MiB; at most {MAX_MIB} are allowed")
    return seconds, (usage.ru_utime + usage.ru_stime) / seconds, memory


# In pieces: a child's memory is counted from that of the parent.
def write_endless_lines(path, piece, front=FAILURE, opener=open):
    """A log that is one line of 100 MB but for the failure before it."""
    with opener(path, "wb") as file:
        file.write(front)
        for _ in range(100_000_000 // len(piece)):
            file.write(piece)


ENDLESS = (
    ("as it is", {"piece": b"x" * 100_000}),
    ("gzip", {"piece": b"x" * 100_000, "opener": gzip.open}),
    ("UTF-16", {"piece": b"x\0" * 100_000, "front": FAILURE.decode().encode("utf-16")}),
    ("binary", {"piece": bytes(100_000)}),
)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    gigabytes = float(sys.argv[2]) if len(sys.argv) > 2 else 1
    files = int(sys.argv[3]) if len(sys.argv) > 3 else 100
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "logs").mkdir()
        size = int(gigabytes * 1e9 / files)
        for i in range(DISTINCT):
            with open(folder / f"{i}", "wb") as file:
                subprocess.run([build / "extraction_bench", "noise", str(size)], check=True, stdout=file)
                file.seek(0, os.SEEK_END)
                file.write(f"[rank{i}]: ".encode() + FAILURE)
        for i in range(files):
            os.symlink(folder / f"{i % DISTINCT}", folder / "logs" / f"rank{i}.log")
        seconds, busy, memory = analyze(build, folder / "logs")
        print(
            f"\nanalyze, {gigabytes:g} GB in {files} files: {seconds:.1f} s, {gigabytes / seconds:.2f} GB/s, "
            f"{busy:.1f} of {os.cpu_count()} processors busy, RSS {memory:.0f} MiB"
        )
        for kind, how in ENDLESS:
            write_endless_lines(folder / "endless.log", **how)
            seconds, _, memory = analyze(build, folder / "endless.log")
            print(f"analyze, a line of 100 MB, {kind}: {seconds:.2f} s, RSS {memory:.0f} MiB")


if __name__ == "__main__":
    main()
