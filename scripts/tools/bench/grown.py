"""Profiles with many groups, many data repository associations, or the most nodes that a service allows."""

from __future__ import annotations

import json
from pathlib import Path


def with_groups(folder: Path, count: int) -> str:
    """Write a profile like p6-b200 with `count` compute groups; return its path."""
    fixed = [
        {"name": "controller", "role": "controller", "instance_type": "m5.4xlarge", "count": 1},
        {"name": "login", "role": "login", "instance_type": "m5.4xlarge", "count": 1},
    ]
    groups = [
        {"name": f"train-{i:02}", "role": "compute", "instance_type": "p6-b200.48xlarge", "count": 2}
        for i in range(count)
    ]
    return write(folder / f"groups-{count}.yaml", {"compute": {"groups": fixed + groups}})


def with_links(folder: Path, count: int) -> str:
    """Write a profile like p6-b200 with `count` data repository associations; return its path."""
    links = [
        {"path": f"/data-{i}", "bucket": "new", "import": ["new", "changed", "deleted"]} for i in range(count)
    ]
    return write(folder / f"links-{count}.yaml", {"storage": {"lustre": {"data_repositories": links}}})


PCS_NODES = 2048
"""The maximum number of nodes of the largest PCS cluster size (service-endpoints-quotas)."""
HYPERPOD_NODES = 6758
"""The maximum number of nodes of a HyperPod instance group (API_ClusterInstanceGroupSpecification)."""


def with_pcs_nodes(folder: Path, count: int) -> str:
    """Write a profile with the largest PCS size and `count` nodes in at most 10 groups; return its path."""
    groups = min(count, 10)
    sizes = [count // groups + (number < count % groups) for number in range(groups)]
    train = [gpu_group(f"train-{number}", size) for number, size in enumerate(sizes)]
    orchestrator = {"kind": "pcs", "size": "large", "efa_interface": "efa-only"}
    return write(folder / f"pcs-{count}.yaml", many(train) | {"orchestrator": orchestrator})


def with_hyperpod_nodes(folder: Path, count: int) -> str:
    """Write a HyperPod Slurm profile with one compute group of `count` nodes; return its path."""
    controller = {"name": "controller", "role": "controller", "instance_type": "m5.4xlarge", "count": 1}
    return write(folder / f"hyperpod-{count}.yaml", many([controller, gpu_group("train", count)]))


def gpu_group(name: str, count: int) -> dict[str, object]:
    """Return a compute group of `count` p6-b200.48xlarge nodes."""
    return {"name": name, "role": "compute", "instance_type": "p6-b200.48xlarge", "count": count}


def many(groups: list[dict[str, object]]) -> dict[str, object]:
    """Return layers for many nodes: groups, a subnet for all of them, and a file system without EFA."""
    block = "100.64.0.0/16"
    subnet = {"id": "subnet-0123456789abcdef0", "cidr": block, "availability_zone_id": "usw2-az2"}
    network = {"kind": "existing", "vpc_id": "vpc-0123456789abcdef0", "vpc_cidr": block, "subnets": [subnet]}
    return {"compute": {"groups": groups}, "network": network, "storage": {"lustre": {"efa": False}}}


def write(file: Path, changes: dict[str, object]) -> str:
    """Write a profile that extends p6-b200; return its path."""
    # JSON is valid YAML
    file.write_text(json.dumps({"extends": "p6-b200", "name": file.stem} | changes), encoding="utf-8")
    return str(file)
