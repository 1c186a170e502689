"""Nodes of a cluster, from the service that runs them, and the selection of one node."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from config.design.model import Design
from config.design.tags import PROFILE_TAG
from scripts.cli.connect.errors import ConnectError
from scripts.cli.connect.place import Place, asking

_RUNNING = frozenset(("Running", "running"))
_NO_NAME = re.compile(r"[^A-Za-z0-9._-]+")
_STATES = ("pending", "running", "stopping", "stopped")
_FIRST_ROLES = ("login", "controller", "system")
"""Roles from which a node is selected if the user does not name a node, in order of preference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A node. `target` is its Session Manager target, `scheduler_name` is its name in Slurm or Kubernetes."""

    name: str
    group: str
    role: str
    instance_type: str
    instance_id: str
    target: str
    status: str
    scheduler_name: str | None
    address: str | None

    @property
    def runs(self) -> bool:
        """Return whether a session can be opened."""
        return self.status in _RUNNING

    @property
    def names(self) -> tuple[str, ...]:
        """Return all names of the node."""
        found = (self.name, self.instance_id, self.target, self.scheduler_name, self.address)
        return tuple(name for name in found if name)


def nodes_of(design: Design, place: Place) -> tuple[Node, ...]:
    """Return every node, sorted by group and instance id."""
    with asking(place.region):
        found = list(_of_hyperpod(design, place) if _hyperpod_name(design) else _of_ec2(design, place))
    return _numbered(found)


def _hyperpod_name(design: Design) -> str | None:
    plan = design.hyperpod or design.hyperpod_eks
    return plan.cluster_name if plan else None


def _of_hyperpod(design: Design, place: Place) -> Iterator[Node]:
    """Yield HyperPod nodes from the SageMaker API, because EC2 does not list them.

    A node's Session Manager target contains the id of the cluster.

    Source: awslabs/awsome-distributed-ai, 1.architectures/5.sagemaker-hyperpod/easy-ssh.sh
    """
    sagemaker, name = place.client("sagemaker"), _hyperpod_name(design)
    cluster_id = sagemaker.describe_cluster(ClusterName=name)["ClusterArn"].rpartition("/")[2]
    for page in sagemaker.get_paginator("list_cluster_nodes").paginate(ClusterName=name):
        for node in page["ClusterNodeSummaries"]:
            group, instance = node["InstanceGroupName"], node["InstanceId"]
            host = node.get("PrivateDnsHostname")
            yield _node(
                design,
                group=group,
                instance_id=instance,
                target=f"sagemaker-cluster:{cluster_id}_{group}-{instance}",
                instance_type=node["InstanceType"].removeprefix("ml."),
                status=node["InstanceStatus"]["Status"],
                scheduler_name=_scheduler_name(design, instance, host),
                address=None,
            )


def _scheduler_name(design: Design, instance: str, host: str | None) -> str | None:
    """Return the scheduler's name of a HyperPod node.

    Slurm uses its host name, and Kubernetes uses its id after the prefix `hyperpod-`.
    """
    if design.hyperpod_eks is not None:
        return f"hyperpod-{instance}"
    return host.partition(".")[0] if host else None


def _of_ec2(design: Design, place: Place) -> Iterator[Node]:
    """Yield EKS and PCS nodes, which have the tags of their launch templates, and Karpenter nodes."""
    ec2, prefix = place.client("ec2"), f"{design.profile.name}-"
    names = [f"{prefix}{group.name}" for group in design.groups]
    # group b-c of profile a and group c of profile a-b have the same name; the profile's tag distinguishes
    # them
    own = {"Name": f"tag:{PROFILE_TAG}", "Values": [design.profile.name]}
    wanted = [[{"Name": "tag:Name", "Values": names}, own]]
    if design.eks is not None and design.eks.karpenter is not None:
        wanted.append([{"Name": "tag:eks:eks-cluster-name", "Values": [design.eks.cluster_name]}])
    seen = set()
    for one in wanted:
        filters = [*one, {"Name": "instance-state-name", "Values": list(_STATES)}]
        for page in ec2.get_paginator("describe_instances").paginate(Filters=filters):
            for instance in (one for reservation in page["Reservations"] for one in reservation["Instances"]):
                if instance["InstanceId"] not in seen:
                    seen.add(instance["InstanceId"])
                    yield _of_instance(design, instance, prefix)


def _of_instance(design: Design, instance: dict[str, Any], prefix: str) -> Node:
    tags = {tag["Key"]: tag["Value"] for tag in instance.get("Tags", ())}
    group = tags.get("Name", "").removeprefix(prefix)
    if group not in {one.name for one in design.groups}:
        # users can write this tag, and it becomes a host name in ssh files
        group = _NO_NAME.sub("-", tags.get("karpenter.sh/nodepool", group))
    return _node(
        design,
        group=group,
        instance_id=instance["InstanceId"],
        target=instance["InstanceId"],
        instance_type=instance["InstanceType"],
        status=instance["State"]["Name"],
        # PCS numbers its nodes, but does not return the number of an instance
        scheduler_name=(instance.get("PrivateDnsName") or None) if design.eks else None,
        address=instance.get("PrivateIpAddress"),
    )


def _node(design: Design, *, group: str, **facts: Any) -> Node:
    role = next((one.role for one in design.groups if one.name == group), "compute")
    return Node(name=group, group=group, role=role, **facts)


def _numbered(found: Iterable[Node]) -> tuple[Node, ...]:
    """Name nodes train-0, train-1, ... by instance id, so that a name is stable while the node exists."""
    groups: dict[str, list[Node]] = defaultdict(list)
    for node in sorted(found, key=lambda node: (node.group, node.instance_id)):
        groups[node.group].append(node)
    return tuple(
        replace(node, name=f"{group}-{i}") for group, nodes in groups.items() for i, node in enumerate(nodes)
    )


def choose(nodes: Sequence[Node], wanted: str | None, stack: str) -> Node:
    """Return the node with this name or group, or a default node; raises ConnectError if no node runs."""
    if not nodes:
        raise ConnectError(f"{stack} has no nodes", "wait until instances have started; `--list` shows them")
    if wanted is None:
        found = next(
            (node for role in _FIRST_ROLES for node in nodes if node.role == role and node.runs), None
        )
        found = found or next((node for node in nodes if node.runs), None)
        if found is None:
            raise ConnectError(
                "no node runs yet" if len(nodes) == 1 else f"the {len(nodes)} nodes do not run yet",
                "run with `--list`; a node starts within some minutes",
            )
        return found
    named = [node for node in nodes if wanted in node.names] or [
        node for node in nodes if node.group == wanted
    ]
    if not named:
        raise ConnectError(f"the cluster has no node {wanted}", _nearest(nodes, wanted))
    found = next((node for node in named if node.runs), None)
    if found is None:
        raise ConnectError(
            f"node {named[0].name} is {named[0].status}, so a session cannot be opened",
            "use another node of `--list`",
        )
    return found


def _nearest(nodes: Sequence[Node], wanted: str) -> str:
    known = sorted({name for node in nodes for name in (node.group, *node.names)})
    close = get_close_matches(wanted, known, n=3, cutoff=0.5)
    groups = ", ".join(sorted({node.group for node in nodes}))
    return (
        f"did you mean {' or '.join(close)}? `--list` shows all nodes"
        if close
        else f"the groups are {groups}; `--list` shows all nodes"
    )
