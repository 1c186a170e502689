"""The nodes of clusters, with their names in the scheduler."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from scripts.cloud.extensions.fleet import machines
from scripts.cloud.extensions.kubernetes.eks_records import EksRecords
from scripts.cloud.extensions.kubernetes.hyperpod import clusters_of
from scripts.cloud.extensions.slurm.pcs import PcsService


@dataclass(frozen=True)
class Machine:
    """A node: its name in the scheduler, its instance, its group, and its Kubernetes labels."""

    name: str
    instance_id: str
    group: str
    labels: tuple[tuple[str, str], ...] = ()


def pcs_machines(account: str, region: str, cluster_id: str) -> Iterator[Machine]:
    """Yield the nodes of a PCS cluster, with PCS's names such as `train-1`."""
    for group in PcsService.records(account, region, "groups").values():
        if group["clusterId"] == cluster_id:
            for index, (_, instance_id) in enumerate(_launched(account, region, group["id"])):
                yield Machine(f"{group['name']}-{index + 1}", instance_id, group["name"])


def hyperpod_machines(account: str, region: str, name: str) -> Iterator[Machine]:
    """Yield the nodes of a HyperPod cluster, with the host names that follow from their IP addresses."""
    for cluster in clusters_of(account, region):
        if name in (cluster.cluster_name, cluster.arn, cluster.arn.rpartition("/")[2]):
            for node in cluster.nodes:
                config = cluster.groups[node.group].get("KubernetesConfig") or {}
                labels = tuple(sorted((config.get("Labels") or {}).items()))
                yield Machine(node.host_name, node.instance_id, node.group, labels)


def kubernetes_machines(account: str, region: str, eks_cluster: str) -> Iterator[Machine]:
    """Yield the nodes of an EKS cluster: the nodes of its node groups, and its HyperPod nodes."""
    for group in EksRecords.records(account, region, "nodegroups").values():
        if group["clusterName"] != eks_cluster:
            continue
        for number, instance_id in _launched(account, region, group["nodegroupArn"]):
            name = host_name(group["nodegroupArn"], number)
            labels = tuple(sorted(group["labels"].items()))
            yield Machine(name, instance_id, group["nodegroupName"], labels)
    for cluster in clusters_of(account, region):
        orchestrator = (cluster.settings.get("Orchestrator") or {}).get("Eks")
        if orchestrator and orchestrator["ClusterArn"].split("/")[-1] == eks_cluster:
            for machine in hyperpod_machines(account, region, cluster.cluster_name):
                # https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-resiliency-node-labels.html
                yield Machine(
                    f"hyperpod-{machine.instance_id}", machine.instance_id, machine.group, machine.labels
                )


def _launched(account: str, region: str, key: str) -> list[tuple[int, str]]:
    """Return the number and the id of each current instance of a group."""
    return [(one.number, one.instance_id) for owner, one in machines(account, region) if owner.key == key]


def host_name(of: str, index: int) -> str:
    """Return a host name that depends only on the group and the instance number."""
    first, second = hashlib.sha256(f"{of}/{index}".encode()).digest()[:2]
    return f"ip-10-1-{first}-{second}-{index}"
