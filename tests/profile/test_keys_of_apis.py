"""Keys as an API of AWS spells them, and keys of another kind, are answered with what to write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from config.cluster import Cluster
from config.profile.slurm.hyperpod import ScheduledUpdate
from config.profile.source.keys_of_apis import OURS, WHY_NOT, pcluster_instead, snake_case
from config.profile.source.schema import json_schema

Check = Callable[..., Cluster]


@pytest.mark.parametrize(
    ("orchestrator", "key", "hint"),
    [
        ("nodeRecovery: none", "nodeRecovery", "write `node_recovery`"),
        ("node-recovery: none", "node-recovery", "write `node_recovery`"),
        ("SlurmConfigStrategy: Merge", "SlurmConfigStrategy", "write `slurm_config_strategy`"),
        ("NodeProvisioningMode: Continuous", "NodeProvisioningMode", "write `provisioning`"),
        ("size: small", "size", "remove it, or use another `kind`: it is a key of `kind: pcs`"),
        (
            "kubernetes_version: '1.35'",
            "kubernetes_version",
            "remove it, or use another `kind`: it is a key of `kind: eks` and `kind: hyperpod-eks`",
        ),
        (
            "lifecycle: {kind: bootstrap, script: a.sh}",
            "lifecycle.script",
            "remove it, or use another `kind`: it is a key of `kind: extended`",
        ),
        (
            "kind: pcs, lifecycle: {}",
            "lifecycle",
            "remove it, or use another `kind`: it is a key of `kind: hyperpod-eks` and",
        ),
        ("kind: pcs, slurmRest: {}", "slurmRest", "write `rest_api`"),
        ("kind: pcs, scaleDownIdleTimeInSeconds: 60", "scaleDownIdleTimeInSeconds", "write `idle_seconds`"),
        ("kind: pcs, jobSubmitPlugins: lua", "jobSubmitPlugins", "remove it; the PCS API has it"),
    ],
)
def test_the_hint_is_the_key_to_write(orchestrator: str, key: str, hint: str, check: Check) -> None:
    cluster = check(f"extends: p6-b200\nname: mine\norchestrator: {{{orchestrator}}}\n")
    (found,) = [diagnostic for diagnostic in cluster.diagnostics if diagnostic.code == "PRO010"]
    assert found.path == f"orchestrator.{key}"
    assert found.hint.startswith(hint)


@pytest.mark.parametrize(
    ("key", "ours"),
    [
        ("NodeRecovery", "node_recovery"),
        ("jobSubmitPlugins", "job_submit_plugins"),
        ("AMIId", "ami_id"),
        ("ami_id", "ami_id"),
    ],
)
def test_a_key_of_an_api_is_read_in_snake_case(key: str, ours: str) -> None:
    assert snake_case(key) == ours


def test_what_a_hint_offers_is_a_key_of_a_profile() -> None:
    forms = json_schema()["$defs"].values()
    known: set[Any] = {key for form in forms for key in form.get("properties", {})}
    assert {key for keys in OURS.values() for key in keys} - known == set()
    assert "schedule" in ScheduledUpdate.model_fields
    assert not OURS.keys() & WHY_NOT.keys()


@pytest.mark.parametrize("kind", ["parallelcluster", "ParallelCluster", "aws-parallelcluster", "pcluster"])
def test_parallelcluster_is_a_command_of_its_own(kind: str, check: Check) -> None:
    hint = pcluster_instead(kind)
    assert hint
    assert "ultracluster pcluster PROFILE" in hint
    text = "extends: p6-b200\nname: mine\n"
    for cluster in (check(text, orchestrator=kind), check(text + f"orchestrator: {{kind: {kind}}}\n")):
        assert [d.hint for d in cluster.diagnostics if d.code == "PRO012"] == [hint]


def test_pcs_over_a_profile_of_hyperpod_is_reported_how_its_groups_are_written(check: Check) -> None:
    cluster = check("extends: p6-b200\nname: mine\norchestrator: {kind: pcs}\n")
    (found,) = [diagnostic for diagnostic in cluster.diagnostics if diagnostic.stops]
    assert (found.code, found.path) == ("ORC002", "compute.groups[0].role")
    assert "set `compute: {groups: [...]}`, which replaces all groups of the base profile" in found.hint


def test_an_orchestrator_without_a_value_is_reported(check: Check) -> None:
    cluster = check("extends: p6-b200\nname: mine\norchestrator:\n")
    (found,) = [diagnostic for diagnostic in cluster.diagnostics if diagnostic.stops]
    assert found.code == "PRO022"
    assert "`orchestrator:` without a value removes" in found.hint


def test_a_yes_of_yaml_is_a_yes_of_slurm(check: Check) -> None:
    lines = "orchestrator: {kind: pcs, queues: [{name: gpu, groups: [train], settings: {Default: true}}]}\n"
    groups = "[{name: train, role: compute, instance_type: p6-b200.48xlarge, count: 2}]"
    cluster = check(f"extends: p6-b200\nname: mine\n{lines}compute: {{groups: {groups}}}\n")
    assert cluster.design is not None, cluster.diagnostics
    assert cluster.design.pcs is not None
    assert cluster.design.pcs.queues[0].settings == {"Default": "YES"}
