"""Launch templates of EKS and PCS profiles, by instance type, layout and purchase option."""

from __future__ import annotations

import functools
import tempfile
from itertools import product
from pathlib import Path
from typing import Any

import yaml
from aws_cdk import Stack

from config.catalog import catalog
from config.cluster import Cluster, load_cluster
from config.design.capacity.groups import GroupPlan
from config.design.model import Design
from stacks.capacity import node_group_props
from tests.stack.library.support import Synthesized, synthesize
from ultracluster.capacity import EfaNodeGroup

TEMPLATE = "AWS::EC2::LaunchTemplate"
BLOCK = {"kind": "capacity-block", "reservation_id": "cr-0a1b2c3d4e5f60718"}
CAPACITIES: dict[str, dict[str, Any]] = {
    "on-demand": {"kind": "on-demand"},
    "spot": {"kind": "spot"},
    "odcr": {"kind": "odcr", "reservation_id": "cr-0a1b2c3d4e5f60718"},
    "odcr-group": {
        "kind": "odcr",
        "resource_group_arn": "arn:aws:resource-groups:us-west-2:123456789012:group/mine",
    },
    "odcr-open": {"kind": "odcr", "match": "open"},
    "capacity-block": BLOCK,
}
PLANES: dict[str, dict[str, str]] = {
    "eks": {"kind": "eks"},
    "pcs": {"kind": "pcs"},
    "pcs-efa-only": {"kind": "pcs", "efa_interface": "efa-only"},
}
SYSTEM = {"name": "tools", "role": "system", "instance_type": "m6i.4xlarge", "count": 2}
TYPES = sorted(name for name, row in catalog().instances.items() if row.max_efa and row.is_gpu)
LAYOUTS = (None, "ip-saving", "max-ena", "none")


def loaded(folder: Path, instance_type: str, plane: str, group: dict[str, Any]) -> Cluster:
    """Return a profile with one group, in the form that a user writes."""
    whole = catalog().instances[instance_type].ultraserver_only
    count = 17 if whole else 4
    own = {"capacity": {**BLOCK, "ultraserver": "u-p6e-gb200x72"}} if whole else {}
    train = {"name": "train", "role": "compute", "instance_type": instance_type, "count": count}
    text = yaml.safe_dump(
        {
            "extends": "p6e-gb200" if whole else "p6-b200",
            "name": "mine",
            "network": {"secondary_zones": ["use1-az4", "use1-az6"] if whole else ["usw2-az1"]},
            "orchestrator": PLANES[plane],
            "storage": {"local_nvme": None},
            "compute": {"groups": [{**train, **own, **group}, *([SYSTEM] if plane == "eks" else [])]},
        }
    )
    (folder / "mine.yaml").write_text(text, encoding="utf-8")
    return load_cluster("mine.yaml", base=folder)


def codes_of(cluster: Cluster) -> set[str]:
    return {d.code for d in cluster.diagnostics if d.severity == "error"}


Key = tuple[str, str, str]


@functools.cache
def clusters() -> dict[Key, Cluster]:
    """Return profiles by instance type, control plane and layout, and p6-b200 by purchase option."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = {
            (kind, plane, layout or "default"): loaded(
                folder, kind, plane, {"efa": {"layout": layout}} if layout else {}
            )
            for kind, plane, layout in product(TYPES, PLANES, LAYOUTS)
        }
        for plane, kind in product(PLANES, CAPACITIES):
            capacity = {"capacity": CAPACITIES[kind]}
            found["p6-b200.48xlarge", plane, kind] = loaded(folder, "p6-b200.48xlarge", plane, capacity)
    return found


@functools.cache
def accepted() -> dict[Key, Design]:
    """Return the designs of the profiles without errors."""
    return {key: cluster.design for key, cluster in clusters().items() if cluster.design is not None}


def group_of(design: Design) -> GroupPlan:
    return next(group for group in design.groups if group.role == "compute")


def name_of(key: Key) -> str:
    return "".join(part.title() for word in key for part in word.replace(".", "-").split("-"))


@functools.cache
def templates() -> Synthesized:
    """Return the launch templates of the designs, in one stack."""

    def build(stack: Stack) -> None:
        for key, design in accepted().items():
            groups = ("sg-0123456789abcdef0",)
            props = node_group_props(design.profile, group_of(design), security_group_ids=groups)
            EfaNodeGroup(stack, name_of(key), props)

    return synthesize(build)


@functools.cache
def launch_data() -> dict[Key, dict[str, Any]]:
    """Return the LaunchTemplateData of each template."""
    by_name = {
        name[:-8]: r["Properties"]["LaunchTemplateData"] for name, r in templates().of_type(TEMPLATE).items()
    }
    return {key: by_name[name_of(key)] for key in accepted()}
