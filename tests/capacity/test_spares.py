"""The queues of every scheduler keep spare nodes free, and Slurm nodes reserve them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from config.cluster import load_cluster
from config.design.kubernetes.scheduler.job_nodes import job_nodes
from config.design.kubernetes.scheduler.part import part
from config.design.kubernetes.steps import Manifest
from config.design.model import Design
from config.profile.orchestrator import Eks
from config.profile.source.yaml_writer import as_yaml

SYSTEM = {"name": "system", "role": "system", "instance_type": "m6i.4xlarge", "count": 2}
CONTROLLER = {"name": "controller", "role": "controller", "instance_type": "m5.4xlarge", "count": 1}
TRAIN = {"name": "train", "role": "compute", "instance_type": "p6-b200.48xlarge", "count": 16}


def designed(folder: Path, orchestrator: dict[str, Any], *groups: dict[str, Any]) -> Design:
    file = folder / "mine.yaml"
    profile = {"extends": "p6-b200", "name": "mine", "orchestrator": orchestrator}
    file.write_text(as_yaml({**profile, "compute": {"groups": list(groups)}}))
    found = load_cluster(str(file)).design
    assert found is not None
    return found


def objects(design: Design) -> list[dict[str, Any]]:
    """Return the objects that the scheduler adds to the cluster."""
    orchestrator = design.profile.orchestrator
    assert isinstance(orchestrator, Eks)
    steps = part(orchestrator, design.groups).steps
    return [dict(one) for step in steps if isinstance(step, Manifest) for one in step.objects]


def gpus(scheduler: str, found: list[dict[str, Any]]) -> set[int]:
    """Return the maximum number of GPUs that the queues assign at the same time."""
    if scheduler == "kueue":
        (queue,) = [one for one in found if one["kind"] == "ClusterQueue"]
        flavors = queue["spec"]["resourceGroups"][0]["flavors"]
        quotas = [one for flavor in flavors for one in flavor["resources"]]
        return {int(one["nominalQuota"]) for one in quotas if one["name"] == "nvidia.com/gpu"}
    queues = [one for one in found if one["kind"] == "Queue"]
    if scheduler == "kai":
        (parent,) = [one for one in queues if one["metadata"]["name"] == "cluster"]
        return {parent["spec"]["resources"]["gpu"]["limit"]}
    return {int(one["spec"]["capability"]["nvidia.com/gpu"]) for one in queues}


@pytest.mark.parametrize("scheduler", ["kueue", "kai", "volcano"])
def test_queues_give_no_more_than_what_is_not_spare(scheduler: str, tmp_path: Path) -> None:
    design = designed(tmp_path, {"kind": "eks", "scheduler": scheduler}, SYSTEM, {**TRAIN, "spare": 2})
    assert gpus(scheduler, objects(design)) == {14 * 8}


def test_a_job_over_the_whole_group_leaves_spare_nodes(tmp_path: Path) -> None:
    design = designed(tmp_path, {"kind": "eks"}, SYSTEM, {**TRAIN, "spare": 2})
    assert isinstance(design.profile.orchestrator, Eks)
    assert job_nodes(design.profile.orchestrator, design.groups, None).machines.count == 14
    with pytest.raises(LookupError, match="group train has 14"):
        job_nodes(design.profile.orchestrator, design.groups, None, count=15)


def test_slurm_keeps_them_by_partition_and_no_other_bundle_changes(tmp_path: Path) -> None:
    more = {**TRAIN, "name": "more", "count": 4}
    without = designed(tmp_path, {"kind": "hyperpod-slurm"}, CONTROLLER, TRAIN, more)
    spare = ({**TRAIN, "spare": 2}, {**more, "partition": "train", "spare": 1})
    spared = designed(tmp_path, {"kind": "hyperpod-slurm"}, CONTROLLER, *spare)
    assert without.hyperpod is not None
    assert spared.hyperpod is not None
    before, after = without.hyperpod.scripts, spared.hyperpod.scripts
    assert before is not None
    assert after is not None
    assert "spares.sh" not in before.files
    assert "SPARE_NODES" not in before.files["settings.env"]
    assert "SPARE_NODES='train 3'\n" in after.files["settings.env"]
    assert 'spares.sh" install' in after.files[after.entry]


def test_a_queue_of_pcs_keeps_those_of_its_groups(tmp_path: Path) -> None:
    queues = [{"name": "gpu", "groups": ["train"]}, {"name": "urgent", "groups": ["train"]}]
    design = designed(tmp_path, {"kind": "pcs", "queues": queues}, {**TRAIN, "spare": 2})
    assert design.pcs is not None
    scripts = design.pcs.scripts
    assert scripts is not None
    assert "SPARE_NODES='gpu 2'\n" in scripts.files["settings.env"]
