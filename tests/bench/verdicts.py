# SPDX-License-Identifier: Apache-2.0
"""From the first failed container to the verdict in status, with many Jobs failing at once.

The failure's time is that of the last line that the container printed, as the kubelet saw it; the
verdict's is when a watch delivered the first status with one. What is waited on purpose afterwards
(settleSeconds) is not in it. What the kubelet and the Job's controller take to end the Job is in the
first pair of numbers; the second is from the moment at which a watch delivered the Job's end.
"""

import collections
import datetime
import json
import re
import statistics
import subprocess
import sys
import threading
import time

from cluster import ROOT, Cluster, wait_for
from conftest import install

COUNTS = (1, 20, 100)


class Watch:
    """When something was first said of each name: jsonpath prints the name and what is said of it."""

    def __init__(self, cluster, kind, jsonpath):
        self.first = {}
        self.process = subprocess.Popen(
            [*cluster.inside, "kubectl", "get", kind, "-A", "-w", "-o", f"jsonpath={jsonpath}"],
            stdout=subprocess.PIPE,
            text=True,
        )
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            words = line.split()
            if len(words) == 2:
                self.first.setdefault(words[0], time.time())


def requests_by_verb(cluster, token):
    counts = collections.Counter()
    for name, value in scrape(cluster, token, "rest_client_requests_total"):
        counts[re.search(r'method="(\w+)"', name).group(1)] += value
    return counts


def scrape(cluster, token, prefix):
    pods = cluster.items("pods", "-n", "attribution-system", "-l", "app.kubernetes.io/component=operator")
    address = pods[0]["status"]["podIP"]
    text = cluster.run("curl", "-sk", "-H", f"Authorization: Bearer {token}", f"https://{address}:8443/metrics").stdout
    for line in text.splitlines():
        if line.startswith(prefix):
            name, value = line.rsplit(" ", 1)
            yield name, float(value)


def resident_mib(cluster, token):
    return next(value for _, value in scrape(cluster, token, "process_resident_memory_bytes")) / 2**20


def fail_jobs(cluster, count):
    """Starts `count` Jobs that all fail at the same second; returns their names."""
    cluster.kubectl("delete", "namespace", "bench", "--ignore-not-found", "--wait")
    cluster.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "bench", "labels": {"e2e": "true"}}})
    names = [f"bench-{count}-{i}" for i in range(count)]
    jobs = [
        {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": name, "namespace": "bench", "labels": {"attribution.dev/watch": "true"}},
            "spec": {
                "backoffLimit": 0,
                "template": {
                    "spec": {
                        "restartPolicy": "Never",
                        "terminationGracePeriodSeconds": 1,
                        "containers": [
                            {
                                "name": "main",
                                "image": "localhost/busybox:1",
                                "imagePullPolicy": "Never",
                                "command": ["sh", "-c", "while [ ! -e /go/go ]; do sleep 0.2; done; echo 'RuntimeError: CUDA error: out of memory'; exit 1"],
                                "volumeMounts": [{"name": "go", "mountPath": "/go"}],
                            }
                        ],
                        "volumes": [{"name": "go", "hostPath": {"path": f"/var/log/bench-{count}", "type": "DirectoryOrCreate"}}],
                    }
                },
            },
        }
        for name in names
    ]
    cluster.apply(*jobs)
    wait_for(
        "all pods to run",
        lambda: sum(pod["status"].get("phase") == "Running" for pod in cluster.items("pods", "-n", "bench")) == count,
        600,
        1,
    )
    time.sleep(5)
    for node in ("node-1", "node-2"):
        cluster.run("sh", "-c", f"mkdir -p {state(cluster)}/{node}/varlog/bench-{count}; touch {state(cluster)}/{node}/varlog/bench-{count}/go")
    return names


def state(cluster):
    return cluster.inside[0].rsplit("/", 1)[0]


def failure_times(cluster, names):
    times = {}
    for name in names:
        line = cluster.kubectl("-n", "bench", "logs", f"job/{name}", "--timestamps", "--tail=1")
        stamp = line.split(" ", 1)[0]
        times[name] = datetime.datetime.fromisoformat(stamp[:26] + "+00:00").timestamp()
    return times


def middle_and_worst(seconds):
    ordered = sorted(seconds)
    return statistics.median(ordered), ordered[max(0, -(-99 * len(ordered) // 100) - 1)]


def main():
    cluster = Cluster(sys.argv[1])
    install(cluster)
    cluster.kubectl("create", "clusterrolebinding", "bench-metrics", "--clusterrole=attribution-metrics-reader", "--serviceaccount=default:default")
    token = cluster.kubectl("create", "token", "default").strip()
    time.sleep(10)
    idle = resident_mib(cluster, token)
    verdicts = Watch(cluster, "attributions", r'{.spec.workload.name}{" "}{.status.verdict.result}{"\n"}')
    ends = Watch(cluster, "jobs", r'{.metadata.name}{" "}{.status.conditions[?(@.type=="Failed")].type}{"\n"}')
    rows = []
    for count in COUNTS:
        before = requests_by_verb(cluster, token)
        names = fail_jobs(cluster, count)
        wait_for("all verdicts", lambda: all(name in verdicts.first for name in names), 300, 0.5)
        memory = resident_mib(cluster, token)
        wait_for(
            "all to settle",
            lambda: sum("settledTime" in one.get("status", {}).get("verdict", {}) for one in cluster.items("attributions", "-n", "bench")) == count,
            120,
            1,
        )
        time.sleep(2)
        per_verdict = {verb: (number - before[verb]) / count for verb, number in requests_by_verb(cluster, token).items()}
        failed = failure_times(cluster, names)
        total = [verdicts.first[name] - failed[name] for name in names]
        ours = [verdicts.first[name] - ends.first[name] for name in names]
        rows.append((count, *middle_and_worst(total), *middle_and_worst(ours), memory, per_verdict))
    for watch in (verdicts, ends):
        watch.process.terminate()
    archive = ROOT / "build" / "image" / "attribution.tar"
    print(f"\n{'':>12} {'since the failure':>17} {'since Job Failed':>17}")
    print(f"{'Jobs at once':>12} {'p50 s':>8} {'p99 s':>8} {'p50 s':>8} {'p99 s':>8} {'RSS MiB':>8}  API requests per verdict (leases included)")
    for count, *seconds, memory, per_verdict in rows:
        verbs = ", ".join(f"{verb} {number:.1f}" for verb, number in sorted(per_verdict.items()))
        print(f"{count:>12} {' '.join(f'{one:8.2f}' for one in seconds)} {memory:8.1f}  {verbs}")
    print(f"RSS idle {idle:.1f} MiB; image {archive.stat().st_size / 2**20:.1f} MiB")
    print(json.dumps({"idle_mib": idle, "rows": rows}))


if __name__ == "__main__":
    main()
