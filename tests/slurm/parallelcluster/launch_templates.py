"""ultracluster's launch templates for the compared instances, from profiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from aws_cdk import Stack

from config.cluster import Cluster, load_cluster
from config.design.capacity.groups import GroupPlan
from config.design.model import Design
from stacks.capacity import node_group_props
from tests.slurm.parallelcluster.cases import RESERVED, TYPES, WHOLE_ULTRASERVER, Machines
from tests.stack.library.support import synthesize
from ultracluster.capacity import EfaNodeGroup

PLANES: Mapping[str, dict[str, str]] = {"ip-saving": {"kind": "eks"}, "all-efa": {"kind": "pcs"}}
"""The control plane that has each layout as its default."""

SYSTEM = {"name": "system", "role": "system", "instance_type": "m6i.xlarge", "count": 2}
"""System nodes that a Kubernetes cluster requires."""

HASH = 8
"""Digits that CDK appends to a logical id."""


def launch_template_data(folder: Path, machines: Sequence[Machines]) -> dict[Machines, dict[str, Any]]:
    """Return the LaunchTemplateData of each, from one stack."""
    planned = {one: _planned(folder, one) for one in machines}
    names = {one: f"Group{number}" for number, one in enumerate(machines)}

    def build(stack: Stack) -> None:
        for one, (design, group) in planned.items():
            props = node_group_props(design.profile, group, security_group_ids=("sg-1",))
            EfaNodeGroup(stack, names[one], props)

    found = synthesize(build)
    data = {
        logical_id[:-HASH]: resource["Properties"]["LaunchTemplateData"]
        for logical_id, resource in found.of_type("AWS::EC2::LaunchTemplate").items()
    }
    return {one: data[name] for one, name in names.items()}


def _planned(folder: Path, machines: Machines) -> tuple[Design, GroupPlan]:
    cluster = loaded(folder, machines)
    assert cluster.design is not None, (machines, [d.message for d in cluster.diagnostics])
    return cluster.design, group_of(cluster.design)


def group_of(design: Design) -> GroupPlan:
    """Return the group of the compared instances."""
    return next(group for group in design.groups if group.name == "nodes")


def loaded(folder: Path, machines: Machines, **group: Any) -> Cluster:
    """Return a profile with one group of these instances; `group` changes its keys, None removes one."""
    whole = TYPES[machines.instance_type].ultraserver_only
    capacity: dict[str, Any] = {"kind": machines.capacity}
    if machines.capacity in RESERVED:
        capacity["reservation_id"] = machines.reservation_id
    if whole:
        capacity["ultraserver"] = "u-p6e-gb200x72"
    keys = {
        "name": "nodes",
        "role": "compute",
        "instance_type": machines.instance_type,
        "count": WHOLE_ULTRASERVER - 1 if whole else 2,  # one instance of an UltraServer is the spare
        "capacity": capacity,
        **group,
    }
    system = [SYSTEM] if PLANES[machines.layout]["kind"] == "eks" else []
    profile = {
        "extends": "p6e-gb200" if whole else "p6-b200",
        "name": "mine",
        "network": {"secondary_zones": ["use1-az4", "use1-az6"] if whole else ["usw2-az1"]},
        "orchestrator": PLANES[machines.layout],
        "storage": {"local_nvme": None},
        "compute": {"groups": [{key: value for key, value in keys.items() if value is not None}, *system]},
    }
    (folder / "mine.yaml").write_text(yaml.safe_dump(profile), encoding="utf-8")
    return load_cluster("mine.yaml", base=folder)
