"""A SageMaker HyperPod cluster that provides the nodes of an EKS cluster."""

from dataclasses import dataclass

from constructs import Construct

from ultracluster.cfn import attribute
from ultracluster.slurm.hyperpod_slurm_cluster import HyperPodClusterProps, add_hyperpod_cluster


@dataclass(frozen=True, slots=True, kw_only=True)
class HyperPodEksClusterProps(HyperPodClusterProps):
    """Properties of a HyperPod cluster on EKS, in addition to those of `HyperPodClusterProps`.

    Attributes:
        eks_cluster_arn: The EKS cluster, which must accept access entries. Fixed at creation.
        continuous: Whether HyperPod adds nodes as capacity becomes available, after the cluster is complete.
        autoscaling_role_arn: Role with which Karpenter scales groups. None: no autoscaling. With this role,
            the cluster must be `continuous` and use automatic node recovery (HYPERPOD-35).
        tiered_memory_percent: Share of each node's memory for checkpoints, 20 to 100. None: no tiered
            checkpointing.
    """

    eks_cluster_arn: str
    continuous: bool = False
    autoscaling_role_arn: str | None = None
    tiered_memory_percent: int | None = None


class HyperPodEksCluster(Construct):
    """A HyperPod cluster whose nodes join an EKS cluster.

    HyperPod creates the access entry of the nodes, with the type HYPERPOD_LINUX.

    Attributes:
        cluster_arn: The cluster.
        resource: The resource, for the dependencies of other resources.
    """

    def __init__(self, scope: Construct, construct_id: str, props: HyperPodEksClusterProps) -> None:
        """Create the cluster; raise ValueError for groups that the service rejects."""
        super().__init__(scope, construct_id)
        _check(props)
        memory = props.tiered_memory_percent
        scaling = {"Mode": "Enable", "AutoScalerType": "Karpenter"} if props.autoscaling_role_arn else None
        tiered = {"Mode": "Enable", "InstanceMemoryAllocationPercentage": memory} if memory else None
        further = {
            "AutoScaling": scaling,
            "ClusterRole": props.autoscaling_role_arn,
            "TieredStorageConfig": tiered,
        }
        orchestrator = {"Eks": {"ClusterArn": props.eks_cluster_arn}}
        self.resource = add_hyperpod_cluster(
            self, props, orchestrator, continuous=props.continuous, further=further
        )
        self.cluster_arn = attribute(self.resource, "ClusterArn")


def _check(props: HyperPodEksClusterProps) -> None:
    for group in props.groups:
        if group.node_type is not None:
            raise ValueError(f"group {group.name!r} has node_type {group.node_type!r}: pass None")
        if group.lustre is not None or group.open_zfs is not None:
            raise ValueError(
                f"group {group.name!r} mounts a file system: pods mount file systems through CSI drivers "
                "instead"
            )
        if not props.continuous and (group.min_count is not None or group.fallback_instance_types):
            raise ValueError(
                f"group {group.name!r} has min_count or fallback_instance_types: set continuous=True"
            )
    scaled = props.autoscaling_role_arn is not None
    if scaled and not (props.continuous and props.node_recovery == "Automatic"):
        raise ValueError(
            f"autoscaling_role_arn with continuous={props.continuous} and node_recovery "
            f"{props.node_recovery!r}: set True and 'Automatic'"
        )
    memory = props.tiered_memory_percent
    if memory is not None and not 20 <= memory <= 100:
        raise ValueError(f"tiered_memory_percent is {memory}: pass 20 to 100")
