"""Clusters of a deployment, read from their services."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .target import Target, every


@dataclass(frozen=True)
class Group:
    """A group of instances. `count` is the current number of instances, `most` is the maximum number."""

    name: str
    instance_type: str
    count: int
    most: int

    @property
    def description(self) -> str:
        """Return `16 x p6-b200.48xlarge`, or `0 now, up to 16 x p6-b200.48xlarge`."""
        many = f"{self.count} now, up to {self.most}" if self.most > self.count else f"{self.count}"
        return f"{many} x {self.instance_type}"


@dataclass(frozen=True)
class Cluster:
    """A HyperPod, PCS or EKS cluster with its current nodes.

    `kubernetes` is the Kubernetes version of an EKS cluster; None for other clusters. `releases` is the
    number of Helm releases and `objects` the number of Kubernetes objects that the stack has installed.
    """

    name: str
    arn: str
    status: str
    groups: tuple[Group, ...]
    nodes: int
    kubernetes: str | None = None
    releases: int = 0
    objects: int = 0

    def as_lines(self) -> Iterator[str]:
        """Yield the cluster as text, with a line for each group."""
        version = [f"Kubernetes {self.kubernetes}"] if self.kubernetes else []
        there = [self._nodes()] if self.groups or not self.kubernetes else []
        yield f"  cluster {self.name}: {', '.join((self.status, *version, *there))}"
        for group in self.groups:
            yield f"    {group.name}: {group.description}"
        if self.releases or self.objects:
            yield f"    installed: {_count(self.releases, 'Helm release')}, {_count(self.objects, 'object')}"

    def _nodes(self) -> str:
        most = sum(max(group.count, group.most) for group in self.groups)
        now = _count(self.nodes, "node")
        return f"{now} now, up to {most}" if most > self.nodes else now


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def hyperpod_clusters_of(target: Target, region: str, arns: list[str]) -> tuple[Cluster, ...]:
    """Return the HyperPod clusters with these ARNs, and their groups."""
    sagemaker = target.client("sagemaker", region)
    clusters = []
    for arn in arns:
        found = sagemaker.describe_cluster(ClusterName=arn)
        nodes = len(every(sagemaker, "list_cluster_nodes", "ClusterNodeSummaries", ClusterName=arn))
        groups = tuple(
            Group(group["InstanceGroupName"], types_of(group), group["CurrentCount"], group["TargetCount"])
            for group in found["InstanceGroups"]
        )
        clusters.append(Cluster(found["ClusterName"], arn, found["ClusterStatus"], groups, nodes))
    return tuple(clusters)


def types_of(group: Mapping[str, Any]) -> str:
    """Return the instance type of a group, or its types in order of preference."""
    if "InstanceType" in group:
        return str(group["InstanceType"])
    return " or ".join(group["InstanceRequirements"]["InstanceTypes"])


def pcs_clusters_of(target: Target, region: str, arns: list[str]) -> tuple[Cluster, ...]:
    """Return the PCS clusters with these ARNs, and their groups."""
    clusters = []
    for arn in arns:
        pcs = target.client("pcs", region)
        cluster = pcs.get_cluster(clusterIdentifier=arn.rpartition("/")[2])["cluster"]
        named = {"clusterIdentifier": cluster["id"]}
        found = [
            pcs.get_compute_node_group(**named, computeNodeGroupIdentifier=one["id"])["computeNodeGroup"]
            for one in every(pcs, "list_compute_node_groups", "computeNodeGroups", **named)
        ]
        groups = tuple(
            Group(
                group["name"],
                group["instanceConfigs"][0]["instanceType"],
                group["scalingConfiguration"]["minInstanceCount"],
                group["scalingConfiguration"]["maxInstanceCount"],
            )
            for group in sorted(found, key=lambda group: str(group["name"]))
        )
        nodes = sum(group.count for group in groups)
        clusters.append(Cluster(cluster["name"], arn, cluster["status"], groups, nodes))
    return tuple(clusters)


def eks_clusters_of(target: Target, region: str, ids: Mapping[str, list[str]]) -> tuple[Cluster, ...]:
    """Return a stack's EKS clusters with their node groups; `ids` has the stack's physical ids by type."""
    eks = target.client("eks", region)
    clusters = []
    for name in ids.get("AWS::EKS::Cluster", ()):
        found = eks.describe_cluster(name=name)["cluster"]
        names = (one.rpartition("/")[2] for one in ids.get("AWS::EKS::Nodegroup", ()))
        groups = tuple(_node_group(target, region, name, each) for each in sorted(names))
        clusters.append(
            Cluster(
                name=name, arn=found["arn"], status=found["status"], groups=groups,
                nodes=sum(group.count for group in groups), kubernetes=found["version"],
                releases=len(ids.get("Custom::AWSCDK-EKS-HelmChart", ())),
                objects=len(ids.get("Custom::AWSCDK-EKS-KubernetesResource", ())),
            )
        )  # fmt: skip
    return tuple(clusters)


def _node_group(target: Target, region: str, cluster: str, name: str) -> Group:
    """Return a node group; its instance type is in its launch template."""
    found = target.client("eks", region).describe_nodegroup(clusterName=cluster, nodegroupName=name)[
        "nodegroup"
    ]
    template = found["launchTemplate"]
    versions = target.client("ec2", region).describe_launch_template_versions(
        LaunchTemplateId=template["id"], Versions=[template["version"]]
    )["LaunchTemplateVersions"]
    size = found["scalingConfig"]["desiredSize"]
    return Group(name, versions[0]["LaunchTemplateData"]["InstanceType"], size, size)
