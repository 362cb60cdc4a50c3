# SPDX-License-Identifier: Apache-2.0
"""Bad input and things that break at the wrong moment: the verdict comes once, and nothing is lost."""

import json
import random
import time

import pytest

from cluster import wait_for

OUT_OF_MEMORY = "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB"


def test_an_empty_log(namespace):
    assert namespace.verdict(namespace.job("empty", "exit 1"))["result"] == "Unknown"


def test_a_binary_log(namespace):
    attribution = namespace.settled(namespace.job("binary", "head -c 3000000 /dev/urandom; exit 1"))
    assert attribution["status"]["verdict"]["result"] == "Unknown"
    assert len(json.dumps(attribution)) < 64 * 1024


def test_a_log_of_one_endless_line(namespace):
    script = "head -c 30000000 /dev/zero | tr '\\0' x; exit 1"
    assert namespace.verdict(namespace.job("one-line", script))["result"] == "Unknown"


def test_a_log_of_a_gigabyte(cluster, namespace):
    """More than the policy reads, and more than a kubelet keeps: the error at the end may be lost,
    the verdict and the memory may not."""
    job = namespace.job("gigabyte", f"yes 'step 4711 loss 2.31 lr 3.0e-4 tokens/s 123456' | head -c 1000000000; echo '{OUT_OF_MEMORY}'; exit 1")
    status = namespace.settled(job, seconds=300)["status"]
    assert {gap["reason"] for gap in status["gaps"]} & {"LogRotated", "ByteLimit"}, status["gaps"]
    metrics = memory_of_operator(cluster)
    assert metrics < 256 * 1024 * 1024, metrics


def memory_of_operator(cluster):
    pid = cluster.run("sh", "-c", "grep -al 'attribution[^a-z-]operator' /proc/[0-9]*/cmdline | head -n 1").stdout.split("/")[2]
    pages = cluster.run("cat", f"/proc/{pid}/statm").stdout.split()[1]
    return int(pages) * 4096


def test_a_pod_deleted_while_its_log_is_read(cluster, namespace):
    job = namespace.job("deleted", "i=0; while [ $i -lt 60 ]; do echo line $i; i=$((i+1)); sleep 0.2; done; exit 1", completions=2, parallelism=2, completionMode="Indexed")
    pod = namespace.running_pod("deleted", index=0)
    namespace.running_pod("deleted", index=1)
    cluster.kubectl("-n", namespace.name, "delete", "pod", pod["metadata"]["name"], "--grace-period=0", "--force")
    verdict = namespace.verdict(job, seconds=120)
    assert verdict["result"] in ("Unknown", "Failed", "Cancelled")


def test_the_api_server_is_gone_for_twenty_seconds(cluster, namespace):
    job = namespace.job("outage", f"sleep 3; echo '{OUT_OF_MEMORY}'; sleep 8; exit 1")
    namespace.running_pod("outage")
    cluster.script("apiserver", "stop")
    time.sleep(20)
    cluster.script("apiserver", "start")
    verdict = namespace.verdict(job, seconds=180)
    assert verdict["symptom"] == "cudaerror-out-of-memory"
    assert len(namespace.attributions(job["metadata"]["uid"])) == 1


def kill_operator(cluster):
    cluster.run("sh", "-c", "for f in $(grep -al 'attribution[^a-z-]operator' /proc/[0-9]*/cmdline); do p=${f#/proc/}; kill -9 ${p%%/*}; done", check=False)


@pytest.mark.parametrize("seed", range(4))
def test_the_operator_is_killed_at_any_moment(cluster, namespace, seed):
    moments = random.Random(seed)
    job = namespace.job("killed", f"echo '{OUT_OF_MEMORY}'; sleep 1; exit 1")
    for _ in range(3):
        time.sleep(moments.uniform(0.2, 2.5))
        kill_operator(cluster)
    verdict = namespace.verdict(job, seconds=300)
    assert verdict["symptom"] == "cudaerror-out-of-memory"
    assert len(namespace.attributions(job["metadata"]["uid"])) == 1


def test_a_missing_right_is_named(cluster, namespace):
    role = cluster.get("clusterrole", "attribution-operator-workloads")
    without = json.loads(json.dumps(role))
    without["rules"] = [rule for rule in without["rules"] if "pods/log" not in rule.get("resources", [])]
    del without["metadata"]["resourceVersion"]
    cluster.kubectl("replace", "-f", "-", stdin=json.dumps(without))
    try:
        attribution = namespace.settled(namespace.job("unreadable", f"echo '{OUT_OF_MEMORY}'; exit 1"), seconds=120)
        status = attribution["status"]
        assert status["verdict"]["result"] == "Unknown"
        forbidden = [gap for gap in status["gaps"] if gap["reason"] == "Forbidden"]
        assert forbidden and forbidden[0]["message"].startswith("get pods/log "), status["gaps"]
        events = wait_for("an Event", lambda: [event for event in cluster.events_on(attribution["metadata"]["name"], namespace.name) if event["reason"] == "Forbidden"])
        assert events[0]["type"] == "Warning" and events[0]["note"].startswith("get pods/log "), events
    finally:
        del role["metadata"]["resourceVersion"]
        cluster.kubectl("replace", "-f", "-", stdin=json.dumps(role))
