"""One wrong key does not hide what else is wrong in its part of the profile."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from config.cluster import Cluster

Check = Callable[..., Cluster]
PCS = """\
extends: p6-b200
name: mine
storage: {{local_nvme: null}}
orchestrator: {{kind: pcs, size: small, {}}}
compute: {{groups: [{{name: train, role: compute, instance_type: p6-b200.48xlarge, count: 40, {}}}]}}
"""


def codes(cluster: Cluster) -> set[str]:
    return {diagnostic.code for diagnostic in cluster.diagnostics if diagnostic.stops}


@pytest.mark.parametrize(
    ("orchestrator", "group"),
    [
        ("jobSubmitPlugins: lua", "ami_id: null"),
        ("lifecycle: {kind: extended}", "ami_id: null"),
        ("settings: {Licenses: [a]}", "ami_id: null"),
        ("rest_api: true", "slurm_settings: {Weight: [1]}"),
        ("rest_api: true", "ssh_key_name: mine"),
    ],
)
def test_a_fault_that_stands_alone_leaves_the_rest_of_its_part_judged(
    orchestrator: str, group: str, check: Check
) -> None:
    found = codes(check(PCS.format(orchestrator, group)))
    assert "PCS020" in found  # 40 nodes in a small cluster
    assert len(found) == 2


@pytest.mark.parametrize(
    ("orchestrator", "group"),
    [
        ("slurm_verson: '25.11'", "ami_id: null"),  # may be a key of the profile's own
        ("restApi: true", "ami_id: null"),
        ("rest_api: 1", "ami_id: null"),
        ("rest_api: true", "scaling: 3"),
        ("jobSubmitPlugins: lua, rest_api: 1", "ami_id: null"),
    ],
)
def test_a_part_of_which_something_is_unknown_is_not_judged(
    orchestrator: str, group: str, check: Check
) -> None:
    found = codes(check(PCS.format(orchestrator, group)))
    assert found
    assert all(code.startswith("PRO") for code in found)


def test_what_is_left_out_is_in_no_plan(check: Check) -> None:
    cluster = check(PCS.format("jobSubmitPlugins: lua", "ami_id: null"))
    assert cluster.design is None
