# SPDX-License-Identifier: Apache-2.0
"""`attribution analyze` on a folder of logs: saved_logs.py BUILD_FOLDER [GIGABYTES [FILES]].

Time, memory and how busy the processors were. The files are links to a few logs of training jobs,
each with one failure at its end.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

DISTINCT = 4


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    gigabytes = float(sys.argv[2]) if len(sys.argv) > 2 else 1
    files = int(sys.argv[3]) if len(sys.argv) > 3 else 100
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "logs").mkdir()
        size = int(gigabytes * 1e9 / files)
        noise = subprocess.run([build / "extraction_bench", "noise", str(size)], check=True, capture_output=True).stdout
        for i in range(DISTINCT):
            (folder / f"{i}").write_bytes(noise + f"RuntimeError: failure number {i}\n".encode())
        for i in range(files):
            os.symlink(folder / f"{i % DISTINCT}", folder / "logs" / f"rank{i}.log")
        began = time.monotonic()
        with subprocess.Popen([build / "attribution", "analyze", "-o", "json", str(folder / "logs")], stdout=subprocess.DEVNULL) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - began
    if process.returncode != 0:
        sys.exit(f"analyze ended with {process.returncode}")
    busy = (usage.ru_utime + usage.ru_stime) / seconds
    print(
        f"analyze, {gigabytes:g} GB in {files} files: {seconds:.1f} s, {gigabytes / seconds:.2f} GB/s, "
        f"{busy:.1f} of {os.cpu_count()} processors busy, RSS {usage.ru_maxrss / 1024:.0f} MiB"
    )


if __name__ == "__main__":
    main()
