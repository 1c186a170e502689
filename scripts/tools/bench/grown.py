"""Profiles that grow: many groups, data repository associations, or as many nodes as a service takes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


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
    return _write(folder / f"groups-{count}.yaml", {"compute": {"groups": fixed + groups}})


def with_links(folder: Path, count: int) -> str:
    """The path of a profile like p6-b200 with that many data repository associations."""
    links = [
        {"path": f"/data-{i}", "bucket": "new", "import": ["new", "changed", "deleted"]} for i in range(count)
    ]
    return _write(folder / f"links-{count}.yaml", {"storage": {"lustre": {"data_repositories": links}}})


PCS_NODES = 2048
"""Nodes of PCS's largest size, over as many groups as a cluster has (service-endpoints-quotas)."""
HYPERPOD_NODES = 6758
"""Nodes of the largest group of HyperPod (API_ClusterInstanceGroupSpecification)."""


def with_pcs_nodes(folder: Path, count: int) -> str:
    """The path of a profile of PCS's largest size with that many nodes, in ten groups at most."""
    groups = min(count, 10)
    sizes = [count // groups + (number < count % groups) for number in range(groups)]
    train = [_train(f"train-{number}", size) for number, size in enumerate(sizes)]
    orchestrator = {"kind": "pcs", "size": "large", "efa_interface": "efa-only"}
    return _write(folder / f"pcs-{count}.yaml", _many(train) | {"orchestrator": orchestrator})


def with_hyperpod_nodes(folder: Path, count: int) -> str:
    """The path of a profile of HyperPod with Slurm whose one compute group has that many nodes."""
    controller = {"name": "controller", "role": "controller", "instance_type": "m5.4xlarge", "count": 1}
    return _write(folder / f"hyperpod-{count}.yaml", _many([controller, _train("train", count)]))


def with_kubernetes_nodes(
    folder: Path, kind: str, count: int, instance_type: str = "p6-b200.48xlarge"
) -> str:
    """The path of a profile of a Kubernetes cluster whose one compute group has that many nodes."""
    train = {**_train("train", count), "instance_type": instance_type}
    return _write(folder / f"{kind}-{count}.yaml", _of_kubernetes(kind, [train], 0))


def with_teams(folder: Path, kind: str, groups: int, teams: int) -> str:
    """The path of a profile of a Kubernetes cluster with so many groups of a node, and so many teams."""
    train = [_train(f"train-{number}", 1) for number in range(groups)]
    return _write(folder / f"{kind}-{groups}-{teams}.yaml", _of_kubernetes(kind, train, teams))


def _of_kubernetes(kind: str, train: list[dict[str, object]], teams: int) -> dict[str, object]:
    """Nodes in the largest subnet that there is, and a smaller one in a second zone."""
    system = {"name": "system", "role": "system", "instance_type": "m5.4xlarge", "count": 2}
    made, block = _many([system, *train]), "100.65.0.0/20"
    network: Any = made["network"]
    second = {"id": "subnet-0123456789abcdef1", "cidr": block, "availability_zone_id": "usw2-az1"}
    network |= {"vpc_secondary_cidrs": [block], "subnets": [*network["subnets"], second]}
    scheduling = {"teams": [{"name": f"team-{number}"} for number in range(teams)]}
    return made | {"orchestrator": {"kind": kind, "scheduling": scheduling}}


def _train(name: str, count: int) -> dict[str, object]:
    return {"name": name, "role": "compute", "instance_type": "p6-b200.48xlarge", "count": count}


def _many(groups: list[dict[str, object]]) -> dict[str, object]:
    """Groups in a subnet that holds them all, and a file system that more nodes mount than EFA reaches."""
    block = "100.64.0.0/16"
    subnet = {"id": "subnet-0123456789abcdef0", "cidr": block, "availability_zone_id": "usw2-az2"}
    network = {"kind": "existing", "vpc_id": "vpc-0123456789abcdef0", "vpc_cidr": block, "subnets": [subnet]}
    return {"compute": {"groups": groups}, "network": network, "storage": {"lustre": {"efa": False}}}


def _write(file: Path, changes: dict[str, object]) -> str:
    # JSON is YAML too
    file.write_text(json.dumps({"extends": "p6-b200", "name": file.stem} | changes), encoding="utf-8")
    return str(file)
