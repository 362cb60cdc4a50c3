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


def kustomize(tmp_path, components=()):
    (tmp_path / "kustomization.yaml").write_text(
        yaml.safe_dump(
            {
                "resources": [relative(tmp_path, "config/default")],
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


@pytest.mark.parametrize(
    "components,settings",
    [
        ((), ()),
        (("node-actions",), ("nodeActions.enabled=true",)),
        (("kubelet-logs",), ("kubeletLogs.enabled=true",)),
        (("kmsg",), ("agent.mode=kmsg",)),
    ],
)
def test_both_install_the_same(tmp_path, components, settings):
    by_kustomize = kustomize(tmp_path, components)
    by_helm = helm(*settings)
    assert set(by_kustomize) == set(by_helm)
    for key, expected in by_kustomize.items():
        assert json.dumps(by_helm[key], sort_keys=True) == json.dumps(expected, sort_keys=True), key


def test_values_are_checked():
    result = subprocess.run(["helm", "template", "x", str(CHART), "--set", "agent.mode=guess"], capture_output=True, text=True, check=False)
    assert result.returncode != 0
    assert "agent" in result.stderr and "mode" in result.stderr


def test_built_in_rules_fit_into_objects(cluster):
    """Each file of the built-in rules is an AttributionRuleset that a plain kubectl apply takes."""
    for path in sorted((ROOT / "config" / "rulesets" / "builtin").glob("*.yaml")):
        cluster.kubectl("apply", "--dry-run=server", "-f", str(path))
        assert path.stat().st_size < 200 * 1024, path
