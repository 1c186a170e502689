"""HyperPod nodes, with their capacity, failures and replacement.

A change is complete when the calendar's date is late enough. The date is checked when a client queries the
nodes; no code runs between queries.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from scripts.cloud.extensions import calendar
from scripts.cloud.extensions.capacity.training_plans import Plan
from scripts.cloud.extensions.records import Record

# https://github.com/awslabs/awsome-distributed-ai (hyperpod-mental-model.md): replacing a node needs
# 20 to 30 min, a reboot 1 to 3 min, and a group grows by a batch in 15 to 25 min; these are the middle values
REPLACED_AFTER = timedelta(minutes=25)
REBOOTED_AFTER = timedelta(minutes=2)
LAUNCHED_AFTER = timedelta(minutes=20)


class Node:
    """One node of a group. `plan` is the training plan that provides the node's capacity."""

    def __init__(self, cluster: str, group: Record, number: int, plan: Plan | None, ready: datetime) -> None:
        self.group: str = group["InstanceGroupName"]
        # HyperPod uses the first available type; in the embedded cloud, all types are available
        self.instance_type: str = (
            group.get("InstanceType") or group["InstanceRequirements"]["InstanceTypes"][0]
        )
        seed = f"{cluster}/{self.group}/{number}"
        self.instance_id = f"i-{hashlib.sha256(seed.encode()).hexdigest()[:17]}"
        self.address = ".".join(str(part) for part in (10, 1, *hashlib.sha256(seed.encode()).digest()[:2]))
        self.life_cycle_config = group.get("LifeCycleConfig")
        self.launch_time = calendar.now()
        self.plan, self.ready = plan, ready
        self.fault, self.renewed = "", None  # type: str, datetime | None

    @property
    def host_name(self) -> str:
        """Return the host name, which follows from the IP address and is the name of the node in Slurm."""
        return f"ip-{self.address.replace('.', '-')}"

    @property
    def status(self) -> str:
        """Return the status as the API names it (ClusterInstanceStatus)."""
        if self.renewed is not None:
            return "Pending"
        if self.fault:
            return "Failure"
        return "Running" if self.ready <= calendar.now() else "Pending"

    def fail(self, fault: str, *, recovers: bool) -> None:
        """Set a fault on the node; if the cluster has automatic recovery, the node is replaced."""
        self.fault = fault
        if recovers:
            self.renewed = calendar.now() + REPLACED_AFTER

    def replace(self) -> None:
        """Terminate the node's instance, and launch a new instance."""
        self.renewed = calendar.now() + REPLACED_AFTER

    def reboot(self) -> None:
        """Reboot the node's instance, and remove the faults that a reboot repairs."""
        self.fault, self.ready = "", calendar.now() + REBOOTED_AFTER

    def summary(self) -> Record:
        """Return the node in the format of ListClusterNodes."""
        return {
            "InstanceGroupName": self.group,
            "InstanceId": self.instance_id,
            "InstanceType": self.instance_type,
            "LaunchTime": self.launch_time,
            "InstanceStatus": {"Status": self.status, "Message": self.fault},
        }

    def describe(self) -> Record:
        """Return the node in the format of DescribeClusterNode."""
        return self.summary() | {
            "PrivatePrimaryIp": self.address,
            "PrivateDnsHostname": f"{self.host_name}.ec2.internal",
            **({"LifeCycleConfig": self.life_cycle_config} if self.life_cycle_config else {}),
        }


class Nodes:
    """The nodes of a cluster by group. When a group changes, its running nodes keep their instances."""

    def __init__(self, cluster: str) -> None:
        self._cluster = cluster
        self._made: dict[str, int] = {}
        self.by_group: dict[str, list[Node]] = {}

    def follow(self, groups: dict[str, Record], plans: dict[str, Plan], *, at_once: bool) -> None:
        """Adjust the nodes to the groups' counts and the plans' capacity; with `at_once`, without a delay."""
        for deleted_group in self.by_group.keys() - groups.keys():
            del self.by_group[deleted_group]
        now = calendar.now()
        for name, group in groups.items():
            nodes = [node for node in self.by_group.get(name, []) if node.plan is None or node.plan.runs(now)]
            for place, node in enumerate(nodes):
                if node.renewed is not None and node.renewed <= now:
                    nodes[place] = self._make(group, node.plan, node.renewed)
            wanted, plan = group["InstanceCount"], plans.get(group.get("TrainingPlanArn", ""))
            # HyperPod selects the nodes to remove (HYPERPOD-18): neither the last nor the first ones
            spared = sorted(nodes, key=lambda node: hashlib.sha256(node.instance_id.encode()).digest())
            kept = spared[:wanted]
            nodes = [node for node in nodes if node in kept]
            if plan is None or plan.runs(now):
                began = max(now if at_once else plan.start + LAUNCHED_AFTER, now) if plan else now
                nodes += [self._make(group, plan, began) for _ in range(wanted - len(nodes))]
            self.by_group[name] = nodes

    def _make(self, group: Record, plan: Plan | None, ready: datetime) -> Node:
        name = group["InstanceGroupName"]
        number = self._made.get(name, 0)
        self._made[name] = number + 1
        return Node(self._cluster, group, number, plan, ready)

    def __iter__(self) -> Iterator[Node]:
        return (node for nodes in self.by_group.values() for node in nodes)

    def find(self, instance_id: str) -> Node | None:
        """Return the node with that id."""
        return next((node for node in self if node.instance_id == instance_id), None)

    def remove(self, node: Node) -> None:
        """Remove a node."""
        self.by_group[node.group].remove(node)


def batch(nodes: Nodes, ids: list[str], controllers: set[str], codes: tuple[str, str], key: str) -> Any:
    """Return the nodes that an operation can change, and the errors for unknown or invalid nodes."""
    taken, failed = [], []
    for instance_id in ids:
        node = nodes.find(instance_id)
        if node is None:
            message = f"Node {instance_id} not found"
            failed.append({"NodeId": instance_id, key: codes[0], "Message": message})
        elif node.group in controllers:
            # see https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_BatchReplaceClusterNodes.html
            message = "the node is the controller of Slurm"
            failed.append({"NodeId": instance_id, key: codes[1], "Message": message})
        else:
            taken.append(node)
    return taken, failed
