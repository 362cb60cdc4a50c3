# SPDX-License-Identifier: Apache-2.0
"""The whole path, on real nodes: a Job fails, and the verdict stands in the Attribution's status."""

import json

from cluster import XID_79, wait_for

OUT_OF_MEMORY = "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB"
TIMEOUT = (
    "[rank0]:[E ProcessGroupNCCL.cpp:616] [Rank 0] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum=88123, OpType=ALLREDUCE, NumelIn=524288, NumelOut=524288, Timeout(ms)=600000) "
    "ran for 600027 milliseconds before timing out."
)


def test_a_users_error_touches_no_node(cluster, namespace):
    job = namespace.job("oom", f"echo 'step 1'; echo '{OUT_OF_MEMORY}' >&2; exit 1")
    attribution = namespace.settled(job)
    status = attribution["status"]
    assert status["origin"] == "Operator"
    assert status["verdict"]["result"] == "Failed"
    assert status["verdict"]["domain"] == "User"
    assert status["verdict"]["symptom"] == "cudaerror-out-of-memory"
    assert "node" not in status["verdict"].get("culprit", {})
    assert status["root"]["line"] == OUT_OF_MEMORY
    assert status["root"]["container"] == "main"
    assert attribution["metadata"]["labels"]["attribution.dev/domain"] == "user"
    assert not attribution["metadata"].get("ownerReferences"), "a Job's TTL must not delete it"
    assert all(not cluster.node_taints(node) for node in ("node-1", "node-2"))
    events = wait_for("an Event on the Job", lambda: [e for e in cluster.events_on("oom", namespace.name) if e["reason"] == "Attributed"])
    assert "GPU memory" in events[0]["note"]


def test_a_broken_gpu_taints_its_node_until_released(cluster, namespace, free_nodes):
    job = namespace.job(
        "train",
        f"[ $JOB_COMPLETION_INDEX = 1 ] && sleep 600; sleep 4; echo '{TIMEOUT}' >&2; exit 1",
        gpus=8,
        completionMode="Indexed",
        completions=2,
        parallelism=2,
    )
    node = namespace.running_pod("train", index=1)["spec"]["nodeName"]
    cluster.journal(node, XID_79.format(pci="3b"))
    status = namespace.settled(job)["status"]
    verdict = status["verdict"]
    assert (verdict["domain"], verdict["symptom"], verdict["evidenceLevel"]) == ("Hardware", "xid-79", "Established")
    assert verdict["culprit"] == {"node": node, "pciAddress": "0000:3b:00"}
    assert status["root"]["trust"] == "Node"
    assert any(one["symptom"] == "nccl-timeout" and one.get("explainedBy") for one in status["symptoms"])

    fault = next(one["fault"] for one in status["nodes"] if one["name"] == node)
    wait_for("a taint", lambda: "attribution.dev/hardware-fault" in cluster.node_taints(node))
    conditions = cluster.get("node", node)["status"]["conditions"]
    assert any(one["type"] == "AttributionHardwareFault" and one["status"] == "True" for one in conditions)
    wait_for("the fault's condition", lambda: cluster.condition("nodefault", fault, "Tainted").get("reason") == "Tainted")

    retry = namespace.job("retry", "exit 0", gpus=8)
    cluster.kubectl("-n", namespace.name, "wait", "--for=condition=Complete", "job/retry", "--timeout=60s")
    pods = cluster.items("pods", "-n", namespace.name, "-l", f"batch.kubernetes.io/controller-uid={retry['metadata']['uid']}")
    assert pods[0]["spec"]["nodeName"] != node

    cluster.kubectl("patch", "nodefault", fault, "--type=merge", "-p", '{"spec":{"release":{"reason":"replaced the GPU"}}}')
    wait_for("a free node", lambda: not cluster.node_taints(node))
    wait_for("the release", lambda: cluster.condition("nodefault", fault, "Tainted").get("reason") == "Released")


def test_a_taint_that_somebody_removed_stays_away(cluster, namespace, free_nodes):
    node = break_gpu(cluster, namespace, pci="5d")
    wait_for("a taint", lambda: cluster.node_taints(node))
    fault = cluster.items("nodefaults")[0]["metadata"]["name"]
    wait_for("the record", lambda: cluster.condition("nodefault", fault, "Tainted").get("status") == "True")
    cluster.kubectl("taint", "node", node, "attribution.dev/hardware-fault-")
    wait_for("the release", lambda: cluster.condition("nodefault", fault, "Tainted").get("reason") == "Released")
    assert not cluster.node_taints(node)


def break_gpu(cluster, namespace, pci, name="broken", node="node-1"):
    """A Job on `node` whose GPU falls off the bus; returns the node, once the verdict has settled."""
    job = namespace.job(name, "sleep 3; exit 1", gpus=8, node=node)
    namespace.running_pod(name)
    cluster.journal(node, XID_79.format(pci=pci))
    assert namespace.verdict(job)["symptom"] == "xid-79"
    return node


def decision(cluster):
    """Reason of the only fault's condition Tainted."""
    faults = cluster.items("nodefaults")
    if len(faults) != 1:
        return None
    return cluster.condition("nodefault", faults[0]["metadata"]["name"], "Tainted").get("reason")


def test_an_opted_out_node_is_left_alone(cluster, namespace, free_nodes):
    cluster.kubectl("label", "node", "node-1", "attribution.dev/node-actions=disabled")
    try:
        break_gpu(cluster, namespace, pci="61")
        wait_for("the refusal", lambda: decision(cluster) == "OptedOut")
        assert not cluster.node_taints("node-1")
    finally:
        cluster.kubectl("label", "node", "node-1", "attribution.dev/node-actions-")


def test_a_dry_run_says_what_it_would_do(cluster, namespace, free_nodes):
    cluster.kubectl("patch", "nodeactionpolicy", "e2e", "--type=merge", "-p", '{"spec":{"mode":"DryRun"}}')
    try:
        break_gpu(cluster, namespace, pci="62")
        wait_for("the dry run", lambda: decision(cluster) == "DryRun")
        assert not cluster.node_taints("node-1")
    finally:
        cluster.kubectl("patch", "nodeactionpolicy", "e2e", "--type=merge", "-p", '{"spec":{"mode":"Enforce"}}')


def test_a_full_budget_is_not_exceeded(cluster, namespace, free_nodes):
    cluster.kubectl("cordon", "node-2")
    try:
        break_gpu(cluster, namespace, pci="63")
        wait_for("the refusal", lambda: decision(cluster) == "BudgetExceeded")
        assert not cluster.node_taints("node-1")
    finally:
        cluster.kubectl("uncordon", "node-2")


def test_silence_is_unknown_with_the_last_lines(namespace):
    verdict_of = namespace.settled(namespace.job("silent", "echo one; echo two; exit 1"))["status"]
    assert verdict_of["verdict"]["result"] == "Unknown"
    assert verdict_of["verdict"]["uncertainty"] in ("OnlyEffects", "NoEvidence")
    assert verdict_of["tail"] == ["one", "two"]


def test_a_job_that_gets_through_in_the_end_succeeded(namespace):
    job = namespace.job(
        "retried",
        f"if [ $JOB_COMPLETION_INDEX -ge 0 ] && [ ! -e /shared/failed ]; then touch /shared/failed; echo '{OUT_OF_MEMORY}'; exit 1; fi",
        backoffLimit=3,
        completionMode="Indexed",
        completions=1,
        node="node-2",
        pod={
            "volumes": [{"name": "shared", "hostPath": {"path": "/var/log/retried", "type": "DirectoryOrCreate"}}],
            "containers": [
                {
                    "name": "main",
                    "image": "localhost/busybox:1",
                    "imagePullPolicy": "Never",
                    "command": ["sh", "-c", f"if [ ! -e /shared/failed ]; then touch /shared/failed; echo '{OUT_OF_MEMORY}'; exit 1; fi"],
                    "resources": {"limits": {"nvidia.com/gpu": 1}},
                    "volumeMounts": [{"name": "shared", "mountPath": "/shared"}],
                }
            ],
        },
    )
    verdict = namespace.verdict(job)
    assert verdict["result"] == "Succeeded"
    assert "culprit" not in verdict


def test_a_job_that_nobody_watches_gets_none(cluster, namespace):
    job = namespace.job("plain", "exit 1", gpus=0)
    cluster.kubectl("-n", namespace.name, "wait", "--for=condition=Failed", "job/plain", "--timeout=60s")
    watched = namespace.job("asked", "exit 1", gpus=0, labels={"attribution.dev/watch": "true"})
    namespace.settled(watched, seconds=120)
    assert not namespace.attributions(job["metadata"]["uid"])


def queue(cluster, namespace):
    cluster.apply(
        {
            "apiVersion": "kueue.x-k8s.io/v1beta2",
            "kind": "LocalQueue",
            "metadata": {"name": "gpus", "namespace": namespace.name},
            "spec": {"clusterQueue": "gpus"},
        }
    )


def attributions_of_kind(cluster, namespace, kind):
    return [one for one in cluster.items("attributions", "-n", namespace.name) if one["spec"]["workload"]["kind"] == kind]


def test_preemption_is_cancelled_by_its_actor(cluster, namespace):
    queue(cluster, namespace)
    labels = {"kueue.x-k8s.io/queue-name": "gpus", "kueue.x-k8s.io/priority-class": "low"}
    namespace.job("low", "sleep 600", gpus=8, labels=labels, suspend=True)
    namespace.running_pod("low")
    labels["kueue.x-k8s.io/priority-class"] = "high"
    namespace.job("high", "sleep 1", gpus=8, labels=labels, suspend=True)

    def settled():
        for one in attributions_of_kind(cluster, namespace, "Workload"):
            if one["spec"]["workload"]["name"].startswith("job-low") and "settledTime" in one.get("status", {}).get("verdict", {}):
                return one
        return None

    verdict = wait_for("the verdict on the preempted", settled, 90)["status"]["verdict"]
    assert verdict["result"] == "Cancelled", json.dumps(verdict)
    assert verdict["domain"] != "User"
    assert verdict["actors"], "who did it"
    assert not attributions_of_kind(cluster, namespace, "Job"), "a Job under a Workload gives one Attribution"
    # It has been admitted again by now, and holds the whole quota.
    cluster.kubectl("-n", namespace.name, "delete", "jobs", "--all", "--wait")


def test_a_failed_job_in_a_queue_gets_one_verdict(cluster, namespace):
    queue(cluster, namespace)
    namespace.job("queued", f"echo '{OUT_OF_MEMORY}'; exit 1", labels={"kueue.x-k8s.io/queue-name": "gpus"}, suspend=True)

    def settled():
        found = [one for one in cluster.items("attributions", "-n", namespace.name) if "settledTime" in one.get("status", {}).get("verdict", {})]
        return found or None

    found = wait_for("the verdict", settled, 180)
    assert len(found) == 1
    assert found[0]["spec"]["workload"]["kind"] == "Workload"
    assert found[0]["status"]["verdict"]["symptom"] == "cudaerror-out-of-memory"
