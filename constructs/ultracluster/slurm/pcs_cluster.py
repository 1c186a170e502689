"""An AWS PCS cluster: Slurm controller, compute node groups and queues."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from aws_cdk import CfnResource
from constructs import Construct, IDependable

from ultracluster.cfn import Tagged, add_cluster_metadata, add_resource, attribute, without_none

Size = Literal["SMALL", "MEDIUM", "LARGE"]
PurchaseOption = Literal["ONDEMAND", "SPOT", "CAPACITY_BLOCK"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PcsScript:
    """A script that each node runs before slurmd starts.

    Attributes:
        name: Name of the script in PCS, 1 to 64 letters, digits, blanks, `_` and `-`.
        location: `s3://...` in the cluster's Region, or `https://...`.
        checksum: SHA-256 of the script, 64 hexadecimal digits.
        arguments: Arguments of the script, at most 20 with 256 characters each.
        on_error: `TERMINATE` terminates an instance whose script fails.
        execution_policy: `FIRST_BOOT_ONLY` or `EVERY_BOOT`.
    """

    name: str
    location: str
    checksum: str
    arguments: Sequence[str]
    on_error: Literal["TERMINATE", "STOP_SEQUENCE", "CONTINUE"] = "TERMINATE"
    execution_policy: Literal["FIRST_BOOT_ONLY", "EVERY_BOOT"] = "FIRST_BOOT_ONLY"


@dataclass(frozen=True, slots=True, kw_only=True)
class PcsGroup:
    """A compute node group.

    Attributes:
        key: Id of the construct; queues refer to it.
        name: Name of the group in PCS, 3 to 25 characters. Fixed at creation, like the instance type. Change
            the name together with the instance type, because the old group still exists when PCS creates the
            new one.
        instance_type: The EC2 instance type. Fixed at creation.
        min_count: Equal to `max_count` for static capacity, 0 for dynamic capacity.
        max_count: Maximum number of nodes.
        subnet_ids: Subnets of the nodes.
        launch_template_id: Launch template of the nodes.
        launch_template_version: Version number of the launch template.
        image_id: AMI of the nodes.
        purchase_option: `ONDEMAND` is also correct for on-demand capacity reservations.
        idle_seconds: Seconds before an idle node of a dynamic group is terminated. None: the cluster's value.
        settings: Slurm settings of the nodes, by name.
    """

    key: str
    name: str
    instance_type: str
    min_count: int
    max_count: int
    subnet_ids: Sequence[str]
    launch_template_id: str
    launch_template_version: str
    image_id: str
    purchase_option: PurchaseOption = "ONDEMAND"
    idle_seconds: int | None = None
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PcsQueue:
    """A queue.

    Attributes:
        name: Name for `sbatch --partition`, 3 to 25 characters. A change of the queue's groups does not
            change the name.
        groups: Keys of the queue's groups.
        settings: Slurm settings of the partition, by name.
    """

    name: str
    groups: Sequence[str]
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PcsClusterProps(Tagged):
    """Properties of a PCS cluster with its groups and queues.

    Attributes:
        cluster_name: 3 to 40 characters. Fixed at creation, like network and size.
        size: Size of the controller, which limits nodes and jobs. Fixed at creation.
        slurm_version: Slurm version, for example `25.11`. The version can only be upgraded.
        subnet_id: Subnet of the controller's network interface. Fixed at creation.
        security_group_ids: Security groups of the controller's network interface; each must allow traffic to
            itself. Fixed at creation.
        instance_profile_arn: Instance profile of all nodes.
        groups: Compute node groups, including login groups.
        queues: Queues of the groups.
        script: Script that each node runs before it accepts jobs.
        idle_seconds: Seconds before PCS terminates an idle node of a dynamic group.
        accounting: Whether PCS stores Slurm accounting records.
        purge_days: Days to retain these records. None: no limit.
        rest_api: Whether slurmrestd runs.
        settings: Slurm settings (slurm.conf), by name.
        accounting_settings: Settings of slurmdbd.conf, by name.
        cgroup_settings: Settings of cgroup.conf, by name.
        scripts_object_keys: Keys of the node scripts, stored in the resource's metadata. `cdk gc` deletes
            assets that no template names, but a node that is replaced later needs them.
        boot_dependencies: Resources that a node needs to boot, and that these props do not reference: routes,
            endpoints, security group rules, parameters. Do not add data repository imports, which can run for
            an hour.
        controller_dependencies: Resources that must exist before the controller: the rules of its security
            groups. The controller is created at the same time as the file systems.
        reserved_instances: Number of instances in each reservation, by the reservation's id or ARN; stored in
            the cluster's metadata. A review of a change then reports whether old and new nodes fit at the
            same time.
    """

    cluster_name: str
    size: Size
    slurm_version: str
    subnet_id: str
    security_group_ids: Sequence[str]
    instance_profile_arn: str
    groups: Sequence[PcsGroup]
    queues: Sequence[PcsQueue]
    script: PcsScript | None = None
    idle_seconds: int = 600
    accounting: bool = False
    purge_days: int | None = None
    rest_api: bool = False
    settings: Mapping[str, str] = field(default_factory=dict)
    accounting_settings: Mapping[str, str] = field(default_factory=dict)
    cgroup_settings: Mapping[str, str] = field(default_factory=dict)
    scripts_object_keys: Sequence[str] = ()
    boot_dependencies: Sequence[IDependable] = ()
    controller_dependencies: Sequence[IDependable] = ()
    reserved_instances: Mapping[str, int] = field(default_factory=dict)


class PcsCluster(Construct):
    """A PCS cluster with its compute node groups and queues.

    Attributes:
        cluster_id: Id of the cluster.
        cluster_arn: ARN of the cluster.
        group_ids: Ids of the groups by their key.
    """

    def __init__(self, scope: Construct, construct_id: str, props: PcsClusterProps) -> None:
        """Create the resources; raises ValueError for groups and queues that PCS would reject."""
        super().__init__(scope, construct_id)
        _check(props)
        cluster = self._cluster(props)
        self.cluster_id = attribute(cluster, "Id")
        self.cluster_arn = attribute(cluster, "Arn")
        groups = {group.key: self._group(props, group) for group in sorted(props.groups, key=lambda g: g.key)}
        self.group_ids = {key: attribute(group, "Id") for key, group in groups.items()}
        for queue in sorted(props.queues, key=lambda queue: queue.name):
            self._queue(props, queue)

    def _cluster(self, props: PcsClusterProps) -> CfnResource:
        cluster = add_resource(
            self,
            "Resource",
            "AWS::PCS::Cluster",
            {
                "Name": props.cluster_name,
                "Size": props.size,
                "Scheduler": {"Type": "SLURM", "Version": props.slurm_version},
                "Networking": {
                    "SubnetIds": [props.subnet_id],
                    "SecurityGroupIds": list(props.security_group_ids),
                },
                "SlurmConfiguration": _slurm_configuration(props),
                "Tags": dict(props.tags),
            },
            depends_on=props.controller_dependencies,
        )
        add_cluster_metadata(cluster, props.scripts_object_keys, props.reserved_instances)
        return cluster

    def _group(self, props: PcsClusterProps, group: PcsGroup) -> CfnResource:
        slurm = {
            "ScaleDownIdleTimeInSeconds": group.idle_seconds,
            "SlurmCustomSettings": _list(group.settings),
        }
        return add_resource(
            self,
            f"Group-{group.key}",
            "AWS::PCS::ComputeNodeGroup",
            {
                "ClusterId": self.cluster_id,
                "Name": group.name,
                "AmiId": group.image_id,
                "CustomLaunchTemplate": {
                    "TemplateId": group.launch_template_id,
                    "Version": group.launch_template_version,
                },
                "IamInstanceProfileArn": props.instance_profile_arn,
                "InstanceConfigs": [{"InstanceType": group.instance_type}],
                "NodeLifecycleActions": _lifecycle(props.script) if props.script else None,
                "PurchaseOption": group.purchase_option,
                # with one type in one subnet, all strategies select the same capacity
                "SpotOptions": {"AllocationStrategy": "price-capacity-optimized"}
                if group.purchase_option == "SPOT"
                else None,
                "ScalingConfiguration": {
                    "MinInstanceCount": group.min_count,
                    "MaxInstanceCount": group.max_count,
                },
                "SlurmConfiguration": without_none(slurm) or None,
                "SubnetIds": list(group.subnet_ids),
                "Tags": dict(props.tags),
            },
            depends_on=props.boot_dependencies,
        )

    def _queue(self, props: PcsClusterProps, queue: PcsQueue) -> CfnResource:
        settings = _list(queue.settings)
        return add_resource(
            self,
            f"Queue-{queue.name}",
            "AWS::PCS::Queue",
            {
                "ClusterId": self.cluster_id,
                "Name": queue.name,
                "ComputeNodeGroupConfigurations": [
                    {"ComputeNodeGroupId": self.group_ids[key]} for key in sorted(queue.groups)
                ],
                "SlurmConfiguration": {"SlurmCustomSettings": settings} if settings else None,
                "Tags": dict(props.tags),
            },
        )


def _slurm_configuration(props: PcsClusterProps) -> dict[str, Any]:
    purge_days = -1 if props.purge_days is None else props.purge_days
    accounting = {"Mode": "STANDARD", "DefaultPurgeTimeInDays": purge_days} if props.accounting else None
    return {
        "ScaleDownIdleTimeInSeconds": props.idle_seconds,
        "Accounting": accounting,
        "SlurmRest": {"Mode": "STANDARD"} if props.rest_api else None,
        "SlurmCustomSettings": _list(props.settings),
        "SlurmdbdCustomSettings": _list(props.accounting_settings),
        "CgroupCustomSettings": _list(props.cgroup_settings),
    }


def _list(settings: Mapping[str, str]) -> list[dict[str, str]] | None:
    """Return settings as a list, or None without settings, because PCS rejects an empty list."""
    return [
        {"ParameterName": name, "ParameterValue": value} for name, value in sorted(settings.items())
    ] or None


def _lifecycle(script: PcsScript) -> dict[str, Any]:
    stage = {
        "Name": script.name,
        "ScriptSource": {"ScriptLocation": script.location, "Checksum": script.checksum},
        "Arguments": list(script.arguments),
        "OnError": script.on_error,
        "ExecutionPolicy": script.execution_policy,
    }
    return {"Stages": {"NodeBootstrapped": [stage]}}


def _check(props: PcsClusterProps) -> None:
    keys = {group.key for group in props.groups}
    for what, names in (
        ("groups", [group.name for group in props.groups]),
        ("group keys", [group.key for group in props.groups]),
        ("queues", [queue.name for queue in props.queues]),
    ):
        if len(set(names)) != len(names):
            raise ValueError(f"{what} {sorted(names)} are not unique: use a unique name for each")
    for group in props.groups:
        if not group.max_count > 0 or group.min_count not in (0, group.max_count):
            raise ValueError(
                f"group {group.key!r} has {group.min_count} to {group.max_count} nodes: "
                "the minimum must be 0 or equal to the maximum, and the maximum at least 1"
            )
    for queue in props.queues:
        if unknown := sorted(set(queue.groups) - keys):
            raise ValueError(f"queue {queue.name!r} names groups {unknown}, which do not exist")
