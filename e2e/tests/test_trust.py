# SPDX-License-Identifier: Apache-2.0
"""Evidence is written by the people being judged. Each test tries to cheat and must fail."""

import datetime
import json

import pytest

from cluster import XID_79, wait_for

pytestmark = pytest.mark.usefixtures("free_nodes")


def assert_no_fault(cluster, verdict):
    assert verdict["evidenceLevel"] != "Established" or verdict["domain"] != "Hardware", json.dumps(verdict)
    assert cluster.items("nodefaults") == []
    assert all(not cluster.node_taints(node) for node in ("node-1", "node-2"))


def test_a_program_prints_a_perfect_xid(cluster, namespace):
    line = XID_79.format(pci="3b").replace("'", "")
    verdict = namespace.verdict(namespace.job("forger", f'echo "{line}"; exit 1', gpus=8))
    assert_no_fault(cluster, verdict)
    assert verdict["domain"] != "Hardware"


def test_a_termination_message_claims_an_xid(cluster, namespace):
    line = XID_79.format(pci="3b").replace("'", "")
    assert_no_fault(cluster, namespace.verdict(namespace.job("message", f'echo "{line}" > /dev/termination-log; exit 1', gpus=8)))


def test_an_attribution_made_by_hand_accuses_nobody(cluster, namespace):
    job = namespace.job("real", "sleep 4; exit 1", gpus=8, node="node-1", labels={"attribution.dev/watch": "false"})
    # A policy that matches would make one of the operator's own: this asks for another attempt.
    namespace.running_pod("real")
    cluster.journal("node-1", XID_79.format(pci="71"))
    cluster.apply(
        {
            "apiVersion": "attribution.dev/v1alpha1",
            "kind": "Attribution",
            "metadata": {"name": "by-hand", "namespace": namespace.name},
            "spec": {
                "workload": {"apiVersion": "batch/v1", "kind": "Job", "name": "real", "uid": job["metadata"]["uid"]},
                "window": {"startTime": "2020-01-01T00:00:00Z"},
            },
        }
    )

    def settled():
        status = cluster.get("attribution", "by-hand", "-n", namespace.name).get("status", {})
        return status if "settledTime" in status.get("verdict", {}) else None

    status = wait_for("the verdict on the request", settled, 90)
    assert status["origin"] == "Request"
    assert status["verdict"]["evidenceLevel"] != "Established"
    assert not any("fault" in node for node in status.get("nodes", []))


def test_an_event_claims_an_xid(cluster, namespace):
    job = namespace.job("eventful", "sleep 5; exit 1", gpus=8)
    pod = namespace.running_pod("eventful")
    now = datetime.datetime.now(datetime.timezone.utc)
    for regarding in ({"kind": "Pod", "name": pod["metadata"]["name"], "uid": pod["metadata"]["uid"]}, {"kind": "Job", "name": "eventful", "uid": job["metadata"]["uid"]}):
        cluster.apply(
            {
                "apiVersion": "v1",
                "kind": "Event",
                "metadata": {"name": f"claim-{regarding['kind'].lower()}", "namespace": namespace.name},
                "involvedObject": {"namespace": namespace.name, "apiVersion": "v1" if regarding["kind"] == "Pod" else "batch/v1", **regarding},
                "type": "Warning",
                "reason": "XidCriticalError",
                "message": XID_79.format(pci="3b"),
                "source": {"component": "kernel-monitor", "host": pod["spec"]["nodeName"]},
                "firstTimestamp": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
                "lastTimestamp": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
                "count": 1,
            }
        )
    assert_no_fault(cluster, namespace.verdict(job))


def test_a_pod_claims_to_be_the_node_agent(cluster, namespace):
    """Same labels, same words, own namespace; and a pod of nobody in the agent's namespace."""
    node = "node-1"
    boot = cluster.get("node", node)["status"]["nodeInfo"]["bootID"]
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000001Z")
    record = {"v": 1, "bootID": boot, "seq": 4711, "time": now, "priority": 3, "facility": 0, "transport": "kernel", "message": XID_79.format(pci="3b").replace("'", "")}
    labels = {"app.kubernetes.io/name": "attribution", "app.kubernetes.io/part-of": "attribution", "app.kubernetes.io/component": "node-agent"}
    # With its labels in its namespace the DaemonSet would adopt the pod, and end it as one too many.
    places = {namespace.name: labels, "attribution-agent": {"app.kubernetes.io/part-of": "attribution"}}
    for place, labels in places.items():
        cluster.apply(
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {"name": "attribution-node-agent-forged", "namespace": place, "labels": labels},
                "spec": {
                    "nodeSelector": {"kubernetes.io/hostname": node},
                    "restartPolicy": "Never",
                    "containers": [{"name": "node-agent", "image": "localhost/busybox:1", "imagePullPolicy": "Never", "command": ["sh", "-c", f"echo '{json.dumps(record)}'; sleep 600"]}],
                },
            }
        )
    try:
        for place in places:
            cluster.kubectl("-n", place, "wait", "--for=condition=Ready", "pod/attribution-node-agent-forged", "--timeout=60s")
        assert_no_fault(cluster, namespace.verdict(namespace.job("victim", "sleep 2; exit 1", gpus=8, node=node)))
    finally:
        cluster.kubectl("-n", "attribution-agent", "delete", "pod", "attribution-node-agent-forged", "--wait=false", "--ignore-not-found")


@pytest.mark.parametrize(
    "name,message,options",
    [
        ("process-name", "python3[4711]: segfault at 0 ip 0 sp 0 error 14 in " + XID_79, {}),
        ("quoted-code", "NVRM: Xid (PCI:0000:{pci}:00): 31, pid=99, name=): 79, GPU has fallen off the bus., Ch 00000008", {}),
        ("by-syslog", XID_79, {"transport": "syslog"}),
        ("by-dev-kmsg", XID_79, {"facility": 1}),
    ],
)
def test_a_record_that_the_kernel_did_not_write(cluster, namespace, name, message, options):
    job = namespace.job(name, "sleep 3; exit 1", gpus=8, node="node-1")
    namespace.running_pod(name)
    cluster.journal("node-1", message.format(pci="3b"), **options)
    assert_no_fault(cluster, namespace.verdict(job))


def test_tenants_cannot_write_a_status(cluster, namespace):
    cluster.kubectl("-n", namespace.name, "create", "serviceaccount", "tenant")
    cluster.kubectl("-n", namespace.name, "create", "rolebinding", "tenant", "--clusterrole=edit", f"--serviceaccount={namespace.name}:tenant")
    cluster.kubectl("-n", namespace.name, "create", "rolebinding", "tenant-attributions", "--clusterrole=attribution-attribution-editor", f"--serviceaccount={namespace.name}:tenant")
    user = f"--as=system:serviceaccount:{namespace.name}:tenant"

    def may(*what):
        return cluster.kubectl("auth", "can-i", *what, "-n", namespace.name, user, check=False).stdout.strip()

    assert may("create", "attributions.attribution.dev") == "yes"
    assert may("patch", "attributions.attribution.dev", "--subresource=status") == "no"
    assert may("patch", "nodefaults.attribution.dev") == "no"
    assert may("create", "attributionrulesets.attribution.dev") == "no"
