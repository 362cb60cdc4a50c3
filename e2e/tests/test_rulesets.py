# SPDX-License-Identifier: Apache-2.0
"""Rulesets and policies are data that people get wrong: each error says where and what."""

import copy
import json

import pytest

from cluster import wait_for

RULESET = {
    "apiVersion": "attribution.dev/v1alpha1",
    "kind": "AttributionRuleset",
    "metadata": {"name": "site"},
    "spec": {
        "catalog": [
            {"id": "site-licence", "title": "Licence refused", "domain": "Platform", "role": "Root", "scope": "Workload", "establishedBy": ["AppLog"]}
        ],
        "extractors": [
            {
                "name": "licence",
                "symptom": "site-licence",
                "sources": ["AppLog"],
                "match": "^acme-launch: no licence",
                "examples": {"match": ["acme-launch: no licence for x"], "noMatch": ["see acme-launch: no licence"]},
            }
        ],
        "tests": [
            {
                "name": "refused",
                "evidence": [{"source": "AppLog", "lines": ["acme-launch: no licence for x"]}],
                "expect": {"result": "Failed", "domain": "Platform"},
            }
        ],
    },
}


@pytest.fixture
def ruleset(cluster):
    cluster.kubectl("delete", "attributionruleset", "site", "--ignore-not-found")
    yield copy.deepcopy(RULESET)
    cluster.kubectl("delete", "attributionruleset", "site", "--ignore-not-found")
    cluster.kubectl("patch", "attributionpolicy", "e2e", "--type=merge", "-p", '{"spec":{"rulesets":["builtin"]}}')


def apply_and_look(cluster, ruleset):
    """Applies and waits until the generation has been looked at; returns the status."""
    cluster.apply(ruleset)

    def looked_at():
        found = cluster.get("attributionruleset", "site")
        seen = found.get("status", {}).get("observedGeneration")
        return found["status"] if seen == found["metadata"]["generation"] else None

    return wait_for("the check", looked_at, 30)


def condition(status, name):
    return next(one for one in status["conditions"] if one["type"] == name)


def test_a_rule_is_used_without_a_restart(cluster, namespace, ruleset):
    script = "echo 'acme-launch: no licence for x'; exit 1"
    assert namespace.verdict(namespace.job("before", script))["result"] == "Unknown"
    status = apply_and_look(cluster, ruleset)
    assert condition(status, "Ready")["status"] == "True"
    assert status["accepted"]["generation"] == 1
    cluster.kubectl("patch", "attributionpolicy", "e2e", "--type=merge", "-p", '{"spec":{"rulesets":["builtin","site"]}}')
    wait_for(
        "the policy",
        lambda: cluster.get("attributionpolicy", "e2e")["status"].get("observedGeneration") == cluster.get("attributionpolicy", "e2e")["metadata"]["generation"],
    )
    settled = namespace.settled(namespace.job("after", script))["status"]
    assert settled["verdict"]["symptom"] == "site-licence"
    assert [one["name"] for one in settled["applied"]["rulesets"]] == ["builtin", "site"]


def test_an_unknown_field_is_refused(cluster, ruleset):
    ruleset["spec"]["extractors"][0]["matches"] = "x"
    result = cluster.kubectl("apply", "-f", "-", stdin=json.dumps(ruleset), check=False)
    assert result.returncode != 0
    assert 'unknown field "spec.extractors[0].matches"' in result.stderr


def test_a_bad_regex_is_refused_at_admission(cluster, ruleset):
    ruleset["spec"]["extractors"][0]["match"] = "acme("
    result = cluster.kubectl("apply", "-f", "-", stdin=json.dumps(ruleset), check=False)
    assert result.returncode != 0
    assert "missing closing )" in result.stderr


def test_a_symptom_that_is_not_in_the_catalog_stalls_it(cluster, ruleset):
    ruleset["spec"]["extractors"][0]["symptom"] = "site-license"
    status = apply_and_look(cluster, ruleset)
    assert condition(status, "Stalled")["status"] == "True"
    assert status["failures"][0]["path"] == "spec.extractors[0].symptom"
    assert status["failures"][0]["rule"] == "licence"
    assert "not in the catalog" in status["failures"][0]["message"]
    wait_for("an Event", lambda: [e for e in cluster.events_on("site") if e["reason"] == "Refused" and "site-license" in e["note"]])


def test_the_last_good_generation_stays_over_a_restart(cluster, ruleset):
    apply_and_look(cluster, ruleset)
    ruleset["spec"]["tests"][0]["expect"]["domain"] = "User"
    status = apply_and_look(cluster, ruleset)
    assert condition(status, "TestsPassed")["status"] == "False"
    assert 'expected "User", got "Platform"' in status["failures"][0]["message"]
    assert status["accepted"]["generation"] == 1
    cluster.kubectl("-n", "attribution-system", "delete", "pod", "-l", "app.kubernetes.io/component=operator", "--wait")
    cluster.kubectl("-n", "attribution-system", "rollout", "status", "deployment/attribution-operator", "--timeout=60s")
    wait_for("the operator", lambda: '"started"' in cluster.operator_logs())
    assert cluster.get("attributionruleset", "site")["status"]["accepted"]["generation"] == 1


def test_a_policy_whose_selector_is_wrong_stalls(cluster):
    cluster.apply(
        {
            "apiVersion": "attribution.dev/v1alpha1",
            "kind": "AttributionPolicy",
            "metadata": {"name": "wrong"},
            "spec": {"precedence": 1, "match": {"namespaceSelector": {"matchExpressions": [{"key": "a b", "operator": "Exists"}]}}},
        }
    )
    try:
        stalled = wait_for("the condition", lambda: cluster.condition("attributionpolicy", "wrong", "Stalled"))
        assert stalled["status"] == "True"
        assert 'spec.match.namespaceSelector.matchExpressions[0].key: "a b" is not a label key' in stalled["message"]
    finally:
        cluster.kubectl("delete", "attributionpolicy", "wrong")
