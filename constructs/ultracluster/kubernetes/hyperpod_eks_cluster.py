"""A SageMaker HyperPod cluster that gives a Kubernetes control plane of Amazon EKS its machines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from constructs import Construct, IDependable

from ultracluster.cfn import add_resource, attribute, tag_list
from ultracluster.slurm.hyperpod_group import (
    HyperPodGroup,
    check_group,
    check_names,
    instance_groups,
    vpc_config,
)
from ultracluster.slurm.hyperpod_lifecycle import Lifecycle, check_lifecycle
from ultracluster.slurm.hyperpod_slurm_cluster import NodeRecovery


@dataclass(frozen=True, slots=True, kw_only=True)
class HyperPodEksClusterProps:
    """A cluster and its groups.

    Attributes:
        cluster_name: 1 to 63 alphanumeric characters and inner hyphens. Fixed at creation.
        eks_cluster_arn: The control plane, which takes access entries. Fixed at creation.
        subnet_ids: Subnets of every group that has none of its own. Fixed at creation.
        security_group_ids: Groups of every machine; each needs EFA's rules to itself (HYPERPOD-07).
        groups: Instance groups in any order, without a part in Slurm: rendered by name (HYPERPOD-21).
        execution_role_arn: Role of the machines. It may have no path, which breaks the access entry that
            HyperPod makes for it (HYPERPOD-38).
        node_recovery: `Automatic` replaces or reboots machines that fail their checks.
        continuous: Whether machines come as there is capacity, and the cluster is complete before them.
        lifecycle: Scripts of the machines. None: none runs (bootstrap mode).
        autoscaling_role_arn: Role with which Karpenter adds and takes machines. None: nothing scales them.
            With it the cluster must be `continuous` and recover by itself (HYPERPOD-35).
        tiered_memory_percent: Memory of each machine for checkpoints, 20 to 100. None: no such checkpoints.
        scripts_object_keys: Keys of the lifecycle scripts, kept in the resource's metadata: `cdk gc` deletes
            assets that no template names, and a machine that is replaced later needs them.
        boot_dependencies: What a machine needs to boot and nothing in these props refers to: routes,
            endpoints, security group rules, and HyperPod's Helm chart, which comes before the cluster.
        reserved_instances: Id or ARN of each reservation to the machines that it holds, kept in the metadata.
        tags: Tags of the cluster.
    """

    cluster_name: str
    eks_cluster_arn: str
    subnet_ids: Sequence[str]
    security_group_ids: Sequence[str]
    groups: Sequence[HyperPodGroup]
    execution_role_arn: str
    node_recovery: NodeRecovery
    continuous: bool = False
    lifecycle: Lifecycle | None = None
    autoscaling_role_arn: str | None = None
    tiered_memory_percent: int | None = None
    scripts_object_keys: Sequence[str] = ()
    boot_dependencies: Sequence[IDependable] = ()
    reserved_instances: Mapping[str, int] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)


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
        self.resource = add_resource(
            self,
            "Resource",
            "AWS::SageMaker::Cluster",
            {
                "ClusterName": props.cluster_name,
                "NodeRecovery": props.node_recovery,
                "NodeProvisioningMode": "Continuous" if props.continuous else None,
                "Orchestrator": {"Eks": {"ClusterArn": props.eks_cluster_arn}},
                "VpcConfig": vpc_config(props.security_group_ids, props.subnet_ids),
                "AutoScaling": {"Mode": "Enable", "AutoScalerType": "Karpenter"}
                if props.autoscaling_role_arn
                else None,
                "ClusterRole": props.autoscaling_role_arn,
                "TieredStorageConfig": None
                if memory is None
                else {"Mode": "Enable", "InstanceMemoryAllocationPercentage": memory},
                "InstanceGroups": instance_groups(
                    props.groups,
                    execution_role_arn=props.execution_role_arn,
                    lifecycle=props.lifecycle,
                    security_group_ids=props.security_group_ids,
                ),
                "Tags": tag_list(props.tags),
            },
            depends_on=props.boot_dependencies,
        )
        if props.scripts_object_keys:
            self.resource.add_metadata("ultracluster:scripts", list(props.scripts_object_keys))
        if props.reserved_instances:
            held = dict(sorted(props.reserved_instances.items()))
            self.resource.add_metadata("ultracluster:capacity", held)
        self.cluster_arn = attribute(self.resource, "ClusterArn")


def _check(props: HyperPodEksClusterProps) -> None:
    check_names(props.groups)
    check_lifecycle(props.lifecycle)
    for group in props.groups:
        check_group(group)
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
