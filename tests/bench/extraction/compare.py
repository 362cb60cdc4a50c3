# SPDX-License-Identifier: Apache-2.0
"""Extraction beside its peers: compare.py BUILD_FOLDER [ROUNDS].

Everything is measured in turn, ROUNDS times; a cell is the median. Times are CPU seconds of one
thread, without what is done once a run, as compiling the patterns: for ripgrep, what it needs for an
empty file is taken off.
"""

import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

LOGS = ("noise", "dense", "hostile", "kernel")
COUNTS = ("50", "200", "500", "0")  # 0: all built-in rules
PEERS = ("attribution", "rg -c -f", "RE2::Set", "Python re loop")
# A loop of regular expressions is so slow that a part of the log has to do.
PYTHON_BYTES = 128 << 10


class Bench:
    def __init__(self, build, folder):
        self.program = build / "extraction_bench"
        self.folder = folder
        self.run("write", str(folder))
        (folder / "empty.log").touch()

    def run(self, *arguments):
        return subprocess.run([self.program, *arguments], check=True, capture_output=True, text=True).stdout.strip()

    def speed(self, who, log, count):
        """GB/s."""
        path = self.folder / f"{log}.log"
        if who == "rg -c -f":
            seconds = self.ripgrep_seconds(path, count) - self.ripgrep_seconds(self.folder / "empty.log", count)
            return path.stat().st_size / max(seconds, 1e-4) / 1e9
        if who == "Python re loop":
            return self.python(path, count)
        seconds, size, _ = self.run({"RE2::Set": "re2set"}.get(who, who), str(path), count).split()
        return int(size) / float(seconds) / 1e9

    def ripgrep_seconds(self, path, count):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        # \w and \b are ASCII's for RE2; where they are Unicode's, a byte that is not ASCII ends the use
        # of ripgrep's automata, and the noise log takes it minutes.
        options = ["--no-config", "-j1", "--no-unicode", "--regex-size-limit=1G", "--dfa-size-limit=1G"]
        command = ["rg", *options, "-c", "-f", str(self.folder / f"patterns-{count}.txt"), str(path)]
        done = subprocess.run(command, capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode > 1:
            raise RuntimeError(done.stderr.strip().splitlines()[-1])
        return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime

    def python(self, path, count):
        patterns = [compiled(text) for text in (self.folder / f"patterns-{count}.txt").read_text().splitlines()]
        with open(path, "rb") as file:
            lines = file.read(PYTHON_BYTES).decode(errors="replace").split("\n")
        began = time.process_time()
        for line in lines:
            for pattern in patterns:
                if pattern.search(line):
                    break
        return PYTHON_BYTES / (time.process_time() - began) / 1e9


def compiled(pattern):
    # Python wants flags in front.
    flags = re.ASCII | re.IGNORECASE if "(?i)" in pattern else re.ASCII
    return re.compile(pattern.replace("(?i)", "").replace(r"\z", r"\Z"), flags)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(build, pathlib.Path(folder))
        cells = {}
        starts = []
        for _ in range(rounds):
            starts.append(float(bench.run("load")))
            for log in LOGS:
                cells.setdefault((log, "memchr", ""), []).append(bench.speed("memchr", log, "0"))
                for count in COUNTS:
                    for who in PEERS:
                        cells.setdefault((log, who, count), []).append(bench.speed(who, log, count))
        all_rules = len((bench.folder / "patterns-0.txt").read_text().splitlines())
        instructions = bench.run("instructions")

    medians = {key: statistics.median(values) for key, values in cells.items()}
    names = [count if count != "0" else f"all {all_rules}" for count in COUNTS]
    print(f"\nExtraction, GB/s of one core ({instructions}), median of {rounds}, by number of rules")
    print(f"{'log':<9}{'':<17}" + "".join(f"{name:>12}" for name in names))
    for log in LOGS:
        for who in PEERS:
            print(f"{log:<9}{who:<17}" + "".join(f"{medians[log, who, count]:>12.5f}" for count in COUNTS))
        print(f"{log:<9}{'memchr':<17}{medians[log, 'memchr', '']:>12.2f}")
    ours = medians["noise", "attribution", "0"]
    print(
        f"\nnoise, all rules: {ours / medians['noise', 'rg -c -f', '0']:.1f} times ripgrep, "
        f"{ours / medians['noise', 'Python re loop', '0']:.0f} times the Python loop"
    )
    print(f"noise, 500 rules cost {medians['noise', 'attribution', '50'] / medians['noise', 'attribution', '500']:.2f} times what 50 cost")
    print(f"built-in rules ready after {statistics.median(starts) * 1000:.0f} ms")


if __name__ == "__main__":
    main()
