# SPDX-License-Identifier: Apache-2.0
"""The Helm chart and the kustomize base install the same thing."""

import json
import os
import subprocess

import pytest
import yaml

from cluster import ROOT

CHART = ROOT / "charts" / "attribution"


def documents(text):
    return {(one["kind"], one["metadata"].get("namespace"), one["metadata"]["name"]): one for one in yaml.safe_load_all(text) if one}


def kustomize(tmp_path, components=(), resources=("config/default",)):
    (tmp_path / "kustomization.yaml").write_text(
        yaml.safe_dump(
            {
                "resources": [relative(tmp_path, path) for path in resources],
                "components": [relative(tmp_path, f"config/components/{name}") for name in components],
            }
        )
    )
    return documents(run("kubectl", "kustomize", str(tmp_path)))


def relative(base, path):
    return os.path.relpath(ROOT / path, base)


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def helm(*settings):
    flags = [flag for setting in settings for flag in ("--set", setting)]
    return documents(run("helm", "template", "attribution", str(CHART), "--include-crds", *flags))


DEFAULT = ("config/default",)


@pytest.mark.parametrize(
    "resources,components,settings",
    [
        (DEFAULT, (), ()),
        (DEFAULT, ("node-actions",), ("nodeActions.enabled=true",)),
        (DEFAULT, ("kubelet-logs",), ("kubeletLogs.enabled=true",)),
        (DEFAULT, ("kmsg",), ("agent.mode=kmsg",)),
        (("config/samples/namespaced",), (), ("operator.namespaces={team-a}",)),
        ((*DEFAULT, "config/prometheus"), (), ("serviceMonitor.enabled=true", "prometheusRule.enabled=true")),
    ],
)
def test_both_install_the_same(tmp_path, resources, components, settings):
    by_kustomize = kustomize(tmp_path, components, resources)
    by_helm = helm(*settings)
    assert set(by_kustomize) == set(by_helm)
    for key, expected in by_kustomize.items():
        assert json.dumps(by_helm[key], sort_keys=True) == json.dumps(expected, sort_keys=True), key


def rights(objects, subject):
    """{(verb, group, resource)} that bindings for all namespaces give to a service account."""
    given = set()
    for (kind, _, _), binding in objects.items():
        if kind != "ClusterRoleBinding" or subject not in [one["name"] for one in binding["subjects"]]:
            continue
        for rule in objects[("ClusterRole", None, binding["roleRef"]["name"])]["rules"]:
            given |= {(verb, group, resource) for verb in rule["verbs"] for group in rule["apiGroups"] for resource in rule["resources"]}
    return given


NODE_ACTIONS = {("patch", "", "nodes"), ("patch", "", "nodes/status")}
KUBELET_LOGS = {("get", "", "nodes/proxy")}
WRITING = {"create", "update", "patch", "delete", "deletecollection", "*"}


@pytest.mark.parametrize("components,more", [((), set()), (("node-actions",), NODE_ACTIONS), (("kubelet-logs",), KUBELET_LOGS)])
def test_the_operator_writes_what_is_its_own(tmp_path, components, more):
    given = rights(kustomize(tmp_path, components), "attribution-operator")
    assert more == given & (NODE_ACTIONS | KUBELET_LOGS)
    assert not {one for one in given if "*" in one or one[2].startswith("secrets")}
    written = {(group, resource) for verb, group, resource in given - more if verb in WRITING}
    reviews = {("authentication.k8s.io", "tokenreviews"), ("authorization.k8s.io", "subjectaccessreviews")}
    assert {one for one in written - reviews if one[0] != "attribution.dev"} == {("events.k8s.io", "events")}
    # Rules and policies are people's; faults of nodes stay.
    specs = {one for one in given if one[1] == "attribution.dev" and "/" not in one[2] and one[0] in WRITING}
    assert specs == {(verb, "attribution.dev", "attributions") for verb in ("create", "patch", "delete")} | {("create", "attribution.dev", "nodefaults")}


def test_of_some_namespaces_nothing_is_read_elsewhere():
    objects = documents(run("kubectl", "kustomize", str(ROOT / "config" / "samples" / "namespaced")))
    everywhere = {resource for _, _, resource in rights(objects, "attribution-operator")}
    assert not everywhere & {"pods", "pods/log", "events", "jobs", "workloads", "attributions", "attributions/status"}


def test_default_roles_get_to_see_attributions_and_no_more(tmp_path):
    aggregated = {
        key[2]: (label, one["rules"])
        for key, one in kustomize(tmp_path).items()
        for label in one["metadata"].get("labels", {})
        if label.startswith("rbac.authorization.k8s.io/aggregate-to-")
    }
    assert list(aggregated) == ["attribution-attribution-viewer"]
    label, rules = aggregated["attribution-attribution-viewer"]
    assert label.endswith("-view")
    assert {resource for rule in rules for resource in rule["resources"]} == {"attributions", "attributions/status"}
    assert {verb for rule in rules for verb in rule["verbs"]} == {"get", "list", "watch"}


def test_values_are_checked():
    result = subprocess.run(["helm", "template", "x", str(CHART), "--set", "agent.mode=guess"], capture_output=True, text=True, check=False)
    assert result.returncode != 0
    assert "agent" in result.stderr and "mode" in result.stderr


def test_built_in_rules_fit_into_objects(cluster):
    """Each file of the built-in rules is an AttributionRuleset that a plain kubectl apply takes."""
    for path in sorted((ROOT / "config" / "rulesets" / "builtin").glob("*.yaml")):
        cluster.kubectl("apply", "--dry-run=server", "-f", str(path))
        assert path.stat().st_size < 200 * 1024, path
