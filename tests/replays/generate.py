# SPDX-License-Identifier: Apache-2.0
"""Writes one case for each pair of a frightening noise and an ending that no node is to blame for.

    generate.py FILE

The cases are the documents of the file and have the format of tests/corpus. Deterministic: the same file each time.
"""

import datetime
import pathlib
import sys

import yaml

HERE = pathlib.Path(__file__).parent
START = datetime.datetime(2026, 3, 4, 10, 0, 0)
NODE = "gpu-17"


def syslog(time, message):
    return f"{time:%b} {time.day:2d} {time:%H:%M:%S} {NODE} kernel: {message}"


def iso(time, message):
    return f"{time.isoformat()}+00:00 {NODE} kernel: {message}"


def dmesg(time, message):
    return f"[{time:%a %b} {time.day:2d} {time:%H:%M:%S %Y}] {message}"


KERNEL_STYLES = (syslog, iso, dmesg)


def program(time, message):
    return f"{time.isoformat()}Z {message}"


def healthy():
    yield "applog", 0, "starting: 1 node, 8 ranks"
    for step in range(1, 6):
        yield "applog", 400 * step, f"step {step * 200} loss {3.2 - step / 10:.3f} lr 3.0e-04 tok/s 41233"


def case(noise, ending, style):
    lines = [*healthy(), *((noise["source"], at, text) for at, text in noise["lines"]), *ending["lines"]]
    lines.sort(key=lambda line: line[1])  # stable: equal times keep their order
    sources = {}
    for source, at, text in lines:
        time = START + datetime.timedelta(seconds=at)
        if source == "kernel":
            text = style(time, text)
        elif source == "applog":
            text = program(time, text)
        sources.setdefault("syslog" if source == "kernel" else source, []).append(text)
    return {
        "id": f"{noise['name']}--{ending['name']}",
        "source": "written for this project, in the programs' own formats",
        "workload": {"framework": "pytorch", "nodes": {NODE: list(range(8))}},
        "evidence": [{"source": source, "node": NODE, "lines": said} for source, said in sources.items()],
        "expected": {
            "root_symptom": ending["name"],
            "failure_domain": ending["domains"][0],
            "culprit_nodes": [],
            "taint": False,
            "also_acceptable_domains": ending["domains"][1:],
        },
        "confidence": "high",
    }


def main():
    noises = yaml.safe_load((HERE / "noise.yaml").read_text())
    endings = yaml.safe_load((HERE / "endings.yaml").read_text())
    cases = [
        case(noise, ending, KERNEL_STYLES[(i + j) % len(KERNEL_STYLES)])
        for i, noise in enumerate(noises)
        for j, ending in enumerate(endings)
    ]
    text = yaml.safe_dump_all(cases, sort_keys=False, width=10**6, allow_unicode=True)
    pathlib.Path(sys.argv[1]).write_text(text)


if __name__ == "__main__":
    main()
