# SPDX-License-Identifier: Apache-2.0
"""What tests need of the local cluster: kubectl, the nodes' logs, and waiting."""

import json
import os
import pathlib
import shlex
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "e2e" / "cluster"

# What the driver writes when a GPU is lost.
XID_79 = "NVRM: Xid (PCI:0000:{pci}:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."


def wait_for(what, probe, seconds=60, pause=0.2):
    """The first truthy result of `probe`; fails naming `what` after `seconds`."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        result = probe()
        if result:
            return result
        time.sleep(pause)
    raise AssertionError(f"{what}: not within {seconds} s")


class Cluster:
    """One running cluster."""

    def __init__(self, cluster_id):
        self.id = cluster_id
        exports = subprocess.run(
            [SCRIPTS / "env", "--id", cluster_id], capture_output=True, text=True, check=True
        ).stdout
        words = dict(word.split("=", 1) for word in shlex.split(exports) if "=" in word)
        self.inside = [words["IN"]]
        self.programs = words["PATH"].split(":")[0]
        self.journal_written = float("-inf")

    def script(self, name, *arguments):
        subprocess.run([SCRIPTS / name, "--id", self.id, *arguments], check=True)

    def run(self, *command, stdin=None, check=True):
        return subprocess.run(
            [*self.inside, *command], input=stdin, capture_output=True, text=True, check=check
        )

    def kubectl(self, *arguments, stdin=None, check=True):
        result = self.run("kubectl", *arguments, stdin=stdin, check=False)
        if check and result.returncode != 0:
            raise AssertionError(f"kubectl {' '.join(arguments)}: {result.stderr}")
        return result.stdout if check else result

    def get(self, *arguments):
        return json.loads(self.kubectl("get", *arguments, "-o", "json"))

    def items(self, *arguments):
        return self.get(*arguments)["items"]

    def apply(self, *objects):
        text = "\n---\n".join(json.dumps(one) for one in objects)
        return self.kubectl("apply", "-f", "-", stdin=text)

    def journal(self, node, *messages, **options):
        self.journal_written = time.monotonic()
        flags = [part for key, value in options.items() for part in (f"--{key.replace('_', '-')}", str(value))]
        self.script("journal", *flags, node, *messages)

    def condition(self, kind, name, condition, namespace=None):
        """{status, reason, message} of a condition; {} while there is none."""
        scope = ["-n", namespace] if namespace else []
        found = self.kubectl("get", kind, name, *scope, "-o", "json", check=False)
        if found.returncode != 0:
            return {}
        conditions = json.loads(found.stdout).get("status", {}).get("conditions", [])
        return next((one for one in conditions if one["type"] == condition), {})

    def node_taints(self, node):
        return [taint["key"] for taint in self.get("node", node)["spec"].get("taints", [])]

    def events_on(self, name, namespace="default"):
        return [
            event
            for event in self.items("events.events.k8s.io", "-n", namespace)
            if event.get("regarding", {}).get("name") == name
        ]

    def operator_logs(self):
        return self.kubectl("-n", "attribution-system", "logs", "deployment/attribution-operator", "--tail=60")


class Namespace:
    """A namespace of one test, with the shortest way to a failed Job and its verdict."""

    def __init__(self, cluster, name):
        self.cluster = cluster
        self.name = name
        cluster.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": {"e2e": "true"}}})

    def job(self, name, script, gpus=1, labels=None, node=None, **spec):
        """Starts a Job of one container that runs `script` in busybox; returns its object."""
        # A record from just before a Job counts as its own: clocks differ. Not the last test's.
        time.sleep(max(0, self.cluster.journal_written + 7 - time.monotonic()))
        pod = {
            "restartPolicy": "Never",
            "terminationGracePeriodSeconds": 2,
            "containers": [
                {
                    "name": "main",
                    "image": "localhost/busybox:1",
                    "imagePullPolicy": "Never",
                    "command": ["sh", "-c", script],
                    "resources": {"limits": {"nvidia.com/gpu": gpus}} if gpus else {},
                }
            ],
        }
        pod.update(spec.pop("pod", {}))
        if node:
            pod["nodeSelector"] = {"kubernetes.io/hostname": node}
        manifest = {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": name, "namespace": self.name, "labels": labels or {}},
            "spec": {"backoffLimit": 0, "template": {"metadata": {"labels": {"test-job": name}}, "spec": pod}, **spec},
        }
        self.cluster.apply(manifest)
        return self.cluster.get("job", name, "-n", self.name)

    def attributions(self, uid):
        return self.cluster.items("attributions", "-n", self.name, "-l", f"attribution.dev/workload-uid={uid}")

    def settled(self, job, seconds=90):
        """The Attribution of a Job, once it has settled."""
        uid = job["metadata"]["uid"]

        def probe():
            for attribution in self.attributions(uid):
                conditions = attribution.get("status", {}).get("conditions", [])
                if any(one["type"] == "Ready" and one["status"] == "True" for one in conditions):
                    return attribution
            return None

        try:
            return wait_for(f"verdict on {job['metadata']['name']}", probe, seconds)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.attributions(uid)}\n{self.cluster.operator_logs()}") from error

    def verdict(self, job, seconds=90):
        return self.settled(job, seconds)["status"]["verdict"]

    def running_pod(self, job_name, index=None):
        selector = f"batch.kubernetes.io/job-name={job_name}"
        if index is not None:
            selector += f",batch.kubernetes.io/job-completion-index={index}"

        def probe():
            pods = self.cluster.items("pods", "-n", self.name, "-l", selector)
            return next((pod for pod in pods if pod["status"].get("phase") == "Running"), None)

        return wait_for(f"a running pod of {job_name}", probe)
