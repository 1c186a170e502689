"""Clusters on a network of their own, and the machines that they have at a moment."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from scripts.cloud.extensions import calendar
from scripts.cloud.external_events import buy_reservation
from scripts.cloud.local import LocalCloud
from tests.cloud.sandbox import REGION, Sandbox

ZONE = "usw2-az2"
TERMS: dict[str, Any] = {"instance_type": "p6-b200.48xlarge", "instances": 4, "zone_id": ZONE}
DATA = {"extends": "p6-b200-data", "name": "data", "storage": None}
HEAD = [
    {"name": role, "role": role, "instance_type": "m5.4xlarge", "count": 1}
    for role in ("controller", "login")
]


def days_from_now(days: float) -> str:
    moment: str = (calendar.now() + timedelta(days=days)).isoformat()
    return moment


def buy(cloud: LocalCloud, **wanted: Any) -> str:
    """Buy a Capacity Block or, with `name`, a training plan; gives its id or ARN."""
    return buy_reservation(cloud.account, REGION, wanted)


def profile(kind: str, train: dict[str, Any]) -> dict[str, Any]:
    group = {"name": "train", "role": "compute", "instance_type": "p6-b200.48xlarge", **train}
    system = [{"name": "system", "role": "system", "instance_type": "m6i.2xlarge", "count": 2}]
    others: dict[str, list[dict[str, Any]]] = {
        "hyperpod-slurm": HEAD,
        "hyperpod-eks": system,
        "eks": system,
        "pcs": [{"name": "login", "role": "login", "instance_type": "m6i.2xlarge", "count": 1}],
    }
    return {
        "extends": "p6-b200-cluster",
        "name": "alpha",
        "data": {"profile": "./data.yaml"},
        "compute": {"groups": [*others[kind], group]},
        "orchestrator": {"kind": kind},
        "storage": None,
        "observability": None,
    }


def name_of(ours: Sandbox) -> str:
    """The name that CloudFormation gave the cluster."""
    (name,) = ours.ids("alpha", "AWS::SageMaker::Cluster").values()
    return name


def statuses(ours: Sandbox, group: str = "train") -> dict[str, str]:
    nodes = ours.client("sagemaker").list_cluster_nodes(ClusterName=name_of(ours))["ClusterNodeSummaries"]
    return {
        node["InstanceId"]: node["InstanceStatus"]["Status"]
        for node in nodes
        if node["InstanceGroupName"] == group
    }


def machines(ours: Sandbox) -> dict[str, str]:
    """Machines of the GPU group of EKS or PCS, by id."""
    wanted = [{"Name": "instance-type", "Values": ["p6-b200.48xlarge"]}]
    reported = ours.client("ec2").describe_instances(Filters=wanted)["Reservations"]
    return {one["InstanceId"]: one["State"]["Name"] for each in reported for one in each["Instances"]}


def until_half_past_eleven(ours: Sandbox) -> None:
    """Let time pass until Capacity Blocks begin and end: 11:30 in UTC."""
    now = calendar.now()
    then = now.replace(hour=11, minute=30, second=0, microsecond=0)
    passes = (then - now) % timedelta(days=1)
    ours.cloud.simulation.advance(passes.total_seconds())


def gpu_nodes(ours: Sandbox, kind: str) -> set[str]:
    """The ids of the GPU group's machines that run, or are about to."""
    return set(statuses(ours) if kind.startswith("hyperpod") else machines(ours))
