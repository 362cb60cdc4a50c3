# SPDX-License-Identifier: Apache-2.0
"""One cluster with the operator installed, for all tests; a namespace for each."""

import os
import re
import signal
import subprocess

import pytest

from cluster import ROOT, SCRIPTS, Cluster, Namespace, wait_for


def pytest_configure():
    # Ended from outside is ended in order, like by Ctrl-C: fixtures stop what they started.
    signal.signal(signal.SIGTERM, signal.default_int_handler)


@pytest.fixture(scope="session")
def cluster():
    """CLUSTER=ID uses one that is running (and keeps it); else one is started and ended."""
    existing = os.environ.get("CLUSTER")
    cluster_id = existing or f"e2e-{os.getpid()}"
    try:
        if not existing:
            subprocess.run([SCRIPTS / "up", "--id", cluster_id, "--kueue"], check=True)
        running = Cluster(cluster_id)
        if not existing:
            install(running)
        yield running
    finally:
        if not existing:
            subprocess.run([SCRIPTS / "down", "--id", cluster_id], check=True)


def install(cluster):
    subprocess.run([ROOT / "e2e" / "image" / "build"], check=True)
    cluster.script("load")
    manifests = cluster.kubectl("kustomize", str(ROOT / "e2e" / "tests" / "install"))
    # Two rounds: policies can only be created once their kinds are served.
    cluster.kubectl("apply", "--server-side", "-f", "-", stdin=manifests, check=False)
    cluster.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=30s")
    cluster.kubectl("apply", "--server-side", "-f", "-", stdin=manifests)
    for what, namespace in (("deployment/attribution-operator", "attribution-system"), ("daemonset/attribution-node-agent", "attribution-agent")):
        cluster.kubectl("-n", namespace, "rollout", "status", what, "--timeout=120s")
    wait_for("the operator's leadership", lambda: '"started"' in cluster.operator_logs())


@pytest.fixture
def namespace(cluster, request):
    name = re.sub(r"[^a-z0-9]+", "-", request.node.name.lower()).strip("-")[:50]
    made = Namespace(cluster, name)
    yield made
    cluster.kubectl("delete", "namespace", name, "--wait=false", "--ignore-not-found")


@pytest.fixture
def free_nodes(cluster):
    """Releases every fault before and after, so that both nodes take pods."""
    release_all(cluster)
    yield
    release_all(cluster)


def release_all(cluster):
    for fault in cluster.items("nodefaults"):
        if "release" not in fault["spec"]:
            cluster.kubectl("patch", "nodefault", fault["metadata"]["name"], "--type=merge", "-p", '{"spec":{"release":{"reason":"end of a test"}}}')
    wait_for("free nodes", lambda: not any(cluster.node_taints(node) for node in ("node-1", "node-2")))
    cluster.kubectl("delete", "nodefaults", "--all", "--wait")
