"""A SageMaker HyperPod cluster that runs Slurm."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from constructs import IDependable

NodeType = Literal["controller", "login", "compute"]
DeepHealthCheck = Literal["InstanceStress", "InstanceConnectivity"]
SlurmConfigStrategy = Literal["Overwrite", "Managed", "Merge"]
NodeRecovery = Literal["Automatic", "None"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreMount:
    """A Lustre file system that HyperPod mounts on a group's machines.

    Attributes:
        dns_name: DNS name of the file system.
        mount_name: Its mount name, 1 to 8 characters.
        mount_path: Where it is mounted. `/fsx` by default.
    """

    dns_name: str
    mount_name: str
    mount_path: str = "/fsx"


@dataclass(frozen=True, slots=True, kw_only=True)
class HyperPodGroup:
    """One instance group.

    Attributes:
        name: The group's name, at most 63 characters.
        node_type: Its part in Slurm. Fixed once the group exists: rename the group to change it.
        instance_type: The SageMaker type (`ml.p6-b200.48xlarge`).
        count: How many machines.
        partition: The Slurm partition of a compute group; required there and refused elsewhere.
        threads_per_core: 1 turns simultaneous multithreading off. None: the service's default.
        training_plan_arn: The training plan that the machines come from. None: on demand.
        deep_health_checks: Checks run on machines before they join. None by default.
        root_volume_key_arn: KMS key of the root volume. None: the service's key.
        ebs_volume_gib: Size of a secondary volume, mounted at /opt/sagemaker. None: the service's default volume.
        ebs_volume_key_arn: KMS key of the secondary volume. None: the service's key.
        lustre: A file system to mount. None by default.
        override_subnet_ids: Subnets instead of the cluster's, for a group in another zone. Fixed once the group
            exists. Empty by default.
    """

    name: str
    node_type: NodeType
    instance_type: str
    count: int
    partition: str | None = None
    threads_per_core: int | None = None
    training_plan_arn: str | None = None
    deep_health_checks: Sequence[DeepHealthCheck] = ()
    root_volume_key_arn: str | None = None
    ebs_volume_gib: int | None = None
    ebs_volume_key_arn: str | None = None
    lustre: LustreMount | None = None
    override_subnet_ids: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HyperPodSlurmClusterProps:
    """A cluster and its groups.

    Attributes:
        cluster_name: 1 to 63 alphanumeric characters and inner hyphens. Fixed at creation.
        subnet_ids: Subnets of every group that has none of its own. Fixed at creation.
        security_group_ids: Groups of every machine; each needs EFA's rules to itself (HYPERPOD-07).
        groups: Instance groups in any order: rendered by name (HYPERPOD-21). Exactly one controller.
        slurm_config_strategy: What a deployment does with edits made on the cluster: `Overwrite` them, refuse to
            update (`Managed`) or keep them (`Merge`). None: continuous provisioning, whose own way is to merge
            and which refuses any strategy.
        node_recovery: `Automatic` replaces or reboots machines that fail their checks.
        scripts_s3_uri: Where the lifecycle scripts are.
        on_init_complete: Name of the script that runs once HyperPod has configured a machine (extended mode).
        execution_role_arn: Role of the machines. It may have no path.
        boot_dependencies: What a machine needs to boot and nothing in these props refers to: routes, endpoints,
            security group rules. Not data repository associations, which can take an hour (STORAGE-17).
        tags: Tags of the cluster.
    """

    cluster_name: str
    subnet_ids: Sequence[str]
    security_group_ids: Sequence[str]
    groups: Sequence[HyperPodGroup]
    slurm_config_strategy: SlurmConfigStrategy | None
    node_recovery: NodeRecovery
    scripts_s3_uri: str
    on_init_complete: str
    execution_role_arn: str
    boot_dependencies: Sequence[IDependable] = ()
    tags: Mapping[str, str] = field(default_factory=dict)


# class HyperPodSlurmCluster(Construct): cluster_arn: str
