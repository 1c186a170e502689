"""A Slurm cluster that AWS PCS runs: its controller, groups of machines and queues."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from aws_cdk import CfnResource
from constructs import Construct, IDependable

from ultracluster.cfn import Tagged, add_cluster_metadata, add_resource, attribute, given

Size = Literal["SMALL", "MEDIUM", "LARGE"]
PurchaseOption = Literal["ONDEMAND", "SPOT", "CAPACITY_BLOCK"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PcsScript:
    """A script that each machine runs before slurmd starts.

    Attributes:
        name: Its name in PCS, 1 to 64 letters, digits, blanks, `_` and `-`.
        location: `s3://...` in the cluster's Region, or `https://...`.
        checksum: SHA-256 of the script, 64 hexadecimal digits.
        arguments: What it is called with, at most 20 of 256 characters.
        on_error: `TERMINATE` ends a machine whose script fails.
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
    """One compute node group.

    Attributes:
        key: What the queues call it, and its construct's id.
        name: Its name in PCS, 3 to 25 characters. Fixed at creation, as its instance type is: give another
            name with another type, or the new group meets the old one's name.
        instance_type: The EC2 type. Fixed at creation.
        min_count: As many as `max_count` for static capacity, 0 for dynamic.
        max_count: The most machines.
        subnet_ids: Where they are launched.
        launch_template_id: How they are launched.
        launch_template_version: The template's version, by number.
        image_id: The AMI.
        purchase_option: `ONDEMAND` for reservations too.
        idle_seconds: When idle machines of a dynamic group go. None: as the cluster says.
        settings: Slurm's settings of the nodes, by name.
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
    """One queue.

    Attributes:
        name: What jobs name, 3 to 25 characters. It stays when its groups change.
        groups: Keys of its groups.
        settings: Slurm's settings of the partition, by name.
    """

    name: str
    groups: Sequence[str]
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PcsClusterProps(Tagged):
    """A cluster with its groups and queues.

    Attributes:
        cluster_name: 3 to 40 characters. Fixed at creation, as network and size are.
        size: How many nodes and jobs the controller manages. Fixed at creation.
        slurm_version: `25.11`. Only newer ones later.
        subnet_id: Where the controller's interface stands. Fixed at creation.
        security_group_ids: Groups of that interface; each needs rules to itself. Fixed at creation.
        instance_profile_arn: Instance profile of every machine.
        groups: Compute node groups, login machines among them.
        queues: Queues over the groups.
        script: What each machine runs before it takes jobs.
        idle_seconds: When idle machines of dynamic groups go.
        accounting: Whether PCS keeps Slurm's accounting.
        purge_days: Days that its records are kept. None: for ever.
        rest_api: Whether slurmrestd runs.
        settings: Slurm's settings (slurm.conf), by name.
        accounting_settings: Settings of slurmdbd.conf, by name.
        cgroup_settings: Settings of cgroup.conf, by name.
        scripts_object_keys: Keys of the node scripts, kept in the resource's metadata: `cdk gc` deletes
            assets that no template names, and a machine that is replaced later needs them.
        boot_dependencies: What a machine needs to boot and nothing in these props refers to: routes,
            endpoints, security group rules, parameters. Not data repository imports, which can take an hour.
        controller_dependencies: What the controller needs so, which comes up beside the file systems: the
            rules of its security groups.
        reserved_instances: Id or ARN of each reservation to the machines that it holds, kept in the metadata
            of the cluster: a review of a change then tells whether old and new nodes fit in at once.
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
        cluster_id: The cluster.
        cluster_arn: Its ARN.
        group_ids: The groups by their key.
    """

    def __init__(self, scope: Construct, construct_id: str, props: PcsClusterProps) -> None:
        """Create all of it; raises ValueError for groups and queues that PCS would refuse."""
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
                # one type in one subnet is one pool, whatever the strategy
                "SpotOptions": {"AllocationStrategy": "price-capacity-optimized"}
                if group.purchase_option == "SPOT"
                else None,
                "ScalingConfiguration": {
                    "MinInstanceCount": group.min_count,
                    "MaxInstanceCount": group.max_count,
                },
                "SlurmConfiguration": given(slurm) or None,
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
    """Settings by name; PCS refuses an empty list, so none is no list."""
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
            raise ValueError(f"{what} {sorted(names)} are not unique: give each its own name")
    for group in props.groups:
        if not group.max_count > 0 or group.min_count not in (0, group.max_count):
            raise ValueError(
                f"group {group.key!r} has {group.min_count} to {group.max_count} machines: "
                "give as many at least as at most, or 0 to some"
            )
    for queue in props.queues:
        if unknown := sorted(set(queue.groups) - keys):
            raise ValueError(f"queue {queue.name!r} names groups {unknown}, which are not there")
