"""A SageMaker HyperPod cluster that gives a Kubernetes control plane of Amazon EKS its machines."""

from dataclasses import dataclass

from constructs import Construct

from ultracluster.cfn import attribute
from ultracluster.slurm.hyperpod_slurm_cluster import HyperPodClusterProps, add_hyperpod_cluster


@dataclass(frozen=True, slots=True, kw_only=True)
class HyperPodEksClusterProps(HyperPodClusterProps):
    """A cluster that runs Kubernetes; the rest is described in `HyperPodClusterProps`.

    Attributes:
        eks_cluster_arn: The control plane, which takes access entries. Fixed at creation.
        continuous: Whether machines come as there is capacity, and the cluster is complete before them.
        autoscaling_role_arn: Role with which Karpenter adds and takes machines. None: nothing scales them.
            With it the cluster must be `continuous` and recover by itself (HYPERPOD-35).
        tiered_memory_percent: Memory of each machine for checkpoints, 20 to 100. None: no such checkpoints.
    """

    eks_cluster_arn: str
    continuous: bool = False
    autoscaling_role_arn: str | None = None
    tiered_memory_percent: int | None = None


class HyperPodEksCluster(Construct):
    """A HyperPod cluster whose machines join an EKS cluster.

    HyperPod makes the access entry of its machines itself, of the type HYPERPOD_LINUX.

    Attributes:
        cluster_arn: The cluster.
        resource: The resource, for what must be there after it.
    """

    def __init__(self, scope: Construct, construct_id: str, props: HyperPodEksClusterProps) -> None:
        """Create the cluster; raises ValueError for groups that the service would refuse."""
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
            raise ValueError(f"group {group.name!r} has node_type {group.node_type!r}: give None")
        if group.lustre is not None or group.open_zfs is not None:
            raise ValueError(f"group {group.name!r} mounts a file system: pods do, through drivers")
        if not props.continuous and (group.min_count is not None or group.fallback_instance_types):
            raise ValueError(
                f"group {group.name!r} has min_count or fallback_instance_types: give continuous=True"
            )
    scaled = props.autoscaling_role_arn is not None
    if scaled and not (props.continuous and props.node_recovery == "Automatic"):
        raise ValueError(
            f"autoscaling_role_arn with continuous={props.continuous} and node_recovery "
            f"{props.node_recovery!r}: give True and 'Automatic'"
        )
    memory = props.tiered_memory_percent
    if memory is not None and not 20 <= memory <= 100:
        raise ValueError(f"tiered_memory_percent is {memory}: give 20 to 100")
