"""Profiles that grow: many groups, data repository associations, or as many nodes as a service takes."""

from __future__ import annotations

import json
from pathlib import Path


def with_groups(folder: Path, count: int) -> str:
    """The path of a profile like p6-b200 with that many compute groups."""
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
    """The path of a profile like p6-b200 with that many data repository associations."""
    links = [
        {"path": f"/data-{i}", "bucket": "new", "import": ["new", "changed", "deleted"]} for i in range(count)
    ]
    return write(folder / f"links-{count}.yaml", {"storage": {"lustre": {"data_repositories": links}}})


PCS_NODES = 2048
"""Nodes of PCS's largest size, over as many groups as a cluster has (service-endpoints-quotas)."""
HYPERPOD_NODES = 6758
"""Nodes of the largest group of HyperPod (API_ClusterInstanceGroupSpecification)."""


def with_pcs_nodes(folder: Path, count: int) -> str:
    """The path of a profile of PCS's largest size with that many nodes, in ten groups at most."""
    groups = min(count, 10)
    sizes = [count // groups + (number < count % groups) for number in range(groups)]
    train = [gpu_group(f"train-{number}", size) for number, size in enumerate(sizes)]
    orchestrator = {"kind": "pcs", "size": "large", "efa_interface": "efa-only"}
    return write(folder / f"pcs-{count}.yaml", many(train) | {"orchestrator": orchestrator})


def with_hyperpod_nodes(folder: Path, count: int) -> str:
    """The path of a profile of HyperPod with Slurm whose one compute group has that many nodes."""
    controller = {"name": "controller", "role": "controller", "instance_type": "m5.4xlarge", "count": 1}
    return write(folder / f"hyperpod-{count}.yaml", many([controller, gpu_group("train", count)]))


def gpu_group(name: str, count: int) -> dict[str, object]:
    """A compute group of p6-b200 machines."""
    return {"name": name, "role": "compute", "instance_type": "p6-b200.48xlarge", "count": count}


def many(groups: list[dict[str, object]]) -> dict[str, object]:
    """Groups in a subnet that holds them all, and a file system that more nodes mount than EFA reaches."""
    block = "100.64.0.0/16"
    subnet = {"id": "subnet-0123456789abcdef0", "cidr": block, "availability_zone_id": "usw2-az2"}
    network = {"kind": "existing", "vpc_id": "vpc-0123456789abcdef0", "vpc_cidr": block, "subnets": [subnet]}
    return {"compute": {"groups": groups}, "network": network, "storage": {"lustre": {"efa": False}}}


def write(file: Path, changes: dict[str, object]) -> str:
    """Write a profile that extends p6-b200; returns its path."""
    # JSON is YAML too
    file.write_text(json.dumps({"extends": "p6-b200", "name": file.stem} | changes), encoding="utf-8")
    return str(file)
