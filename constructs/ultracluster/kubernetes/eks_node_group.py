"""Machines of an EKS cluster: managed node groups, and the role that they run with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from constructs import Construct, IDependable

from ultracluster.cfn import Tagged, add_resource, add_service_role, attribute, statement
from ultracluster.nodes.permissions import (
    NodeAccess,
    NodeImageAccess,
    access_statements,
    image_statements,
    scripts_statements,
    session_statement,
)

CapacityType = Literal["ON_DEMAND", "SPOT", "CAPACITY_BLOCK"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EksNodeRoleProps(Tagged):
    """What the machines of one cluster may do.

    Attributes:
        cluster_name: Part of the description.
        scripts_bucket_name: Bucket of the node scripts. None: there are none.
        scripts_prefix: Folder of all versions of the node scripts in it, without slashes at its ends.
        access: What they need for sessions. None: nothing.
        images: Images of pull-through caches that they are the first to pull. None: there are no caches.
    """

    cluster_name: str
    scripts_bucket_name: str | None = None
    scripts_prefix: str = ""
    access: NodeAccess | None = None
    images: NodeImageAccess | None = None


class EksNodeRole(Construct):
    """The role of machines: joining, images, sessions and their scripts. What pods may do is theirs.

    Attributes:
        role_arn: The role.
        role_name: Its generated name.
    """

    def __init__(self, scope: Construct, construct_id: str, props: EksNodeRoleProps) -> None:
        """Create the role."""
        super().__init__(scope, construct_id)
        bucket = props.scripts_bucket_name
        role = add_service_role(
            self,
            "Resource",
            service="ec2.amazonaws.com",
            description=f"Machines of the EKS cluster {props.cluster_name}",
            statements=[
                # the action takes no resource
                statement(["ssm:UpdateInstanceInformation"], "*", sid="Managed"),
                session_statement(),
                *(scripts_statements(bucket, props.scripts_prefix) if bucket else ()),
                *access_statements(props.access),
                # the managed policy lets them pull from every repository
                *image_statements(props.images, pulls=False),
            ],
            tags=props.tags,
            source_account_condition=False,
            # https://docs.aws.amazon.com/eks/latest/userguide/create-node-role.html
            managed_policies=("AmazonEC2ContainerRegistryPullOnly", "AmazonEKSWorkerNodePolicy"),
        )
        self.role_arn = attribute(role, "Arn")
        self.role_name = role.ref


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairOverride:
    """What EKS does for one reason.

    Attributes:
        condition: `AcceleratedHardwareReady`.
        reason: `NvidiaXID79Error`.
        action: `Replace`, `Reboot` or `NoAction`.
        wait_minutes: How long the condition lasts before.
    """

    condition: str
    reason: str
    action: str
    wait_minutes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EksNodeGroupProps(Tagged):
    """One managed node group.

    Attributes:
        cluster_name: The cluster.
        name: At most 63 characters. Fixed at creation, as AMI type, capacity type and subnet are: give a new
            name with any other of them, or the new group meets the old one's name (SLURM-12).
        ami_type: `AL2023_x86_64_NVIDIA`. The machines' architecture.
        node_role_arn: Role of the machines.
        subnet_id: The one subnet: EFA does not leave it, and EKS spreads machines over all it is given.
        launch_template_id: How they are launched, instance type included.
        launch_template_version: The template's version, by number.
        kubernetes_version: `1.35`.
        desired_size: Machines.
        min_size: The least that anybody may scale to.
        max_size: The most, 1 at least.
        capacity_type: `ON_DEMAND` for reservations too.
        release_version: Release of the image. None: EKS's newest.
        labels: Labels of the nodes.
        taints: Taints of the nodes: key, value and effect (`NO_SCHEDULE`).
        minimal_update: Whether an update ends a machine before it launches the one that takes its place.
        repair: Whether EKS repairs nodes.
        max_parallel_repairs: Nodes that it repairs at once.
        max_unhealthy: Unhealthy nodes above which it stops. None: as EKS does by itself.
        repair_overrides: What it does for single reasons.
        dependencies: What a machine needs to join and nothing in these props refers to: routes, endpoints,
            security group rules, the add-ons of the network.
    """

    cluster_name: str
    name: str
    ami_type: str
    node_role_arn: str
    subnet_id: str
    launch_template_id: str
    launch_template_version: str
    kubernetes_version: str
    desired_size: int
    min_size: int
    max_size: int
    capacity_type: CapacityType = "ON_DEMAND"
    release_version: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: Sequence[tuple[str, str, str]] = ()
    minimal_update: bool = False
    repair: bool = True
    max_parallel_repairs: int = 1
    max_unhealthy: int | None = None
    repair_overrides: Sequence[RepairOverride] = ()
    dependencies: Sequence[IDependable] = ()


class EksNodeGroup(Construct):
    """A managed node group.

    Attributes:
        resource: The group, for what comes after it.
    """

    def __init__(self, scope: Construct, construct_id: str, props: EksNodeGroupProps) -> None:
        """Create the group; raises ValueError for sizes that EKS would refuse."""
        super().__init__(scope, construct_id)
        sizes = (props.min_size, props.desired_size, props.max_size)
        if list(sizes) != sorted(sizes) or props.max_size < 1:
            raise ValueError(
                f"sizes of {props.name!r} are {sizes}: give them in order, at least 1 as the most"
            )
        self.resource = add_resource(
            self,
            "Resource",
            "AWS::EKS::Nodegroup",
            {
                "ClusterName": props.cluster_name,
                "NodegroupName": props.name,
                "AmiType": props.ami_type,
                "CapacityType": props.capacity_type,
                "NodeRole": props.node_role_arn,
                "Subnets": [props.subnet_id],
                "LaunchTemplate": {"Id": props.launch_template_id, "Version": props.launch_template_version},
                "Version": props.kubernetes_version,
                "ReleaseVersion": props.release_version,
                "ScalingConfig": {
                    "MinSize": props.min_size,
                    "DesiredSize": props.desired_size,
                    "MaxSize": props.max_size,
                },
                "Labels": dict(sorted(props.labels.items())) or None,
                "Taints": [
                    {"Key": key, "Value": value, "Effect": effect} for key, value, effect in props.taints
                ]
                or None,
                "UpdateConfig": {
                    "MaxUnavailable": 1,
                    "UpdateStrategy": "MINIMAL" if props.minimal_update else "DEFAULT",
                },
                "NodeRepairConfig": _repair(props),
                "Tags": dict(sorted(props.tags.items())),
            },
            depends_on=props.dependencies,
        )


def _repair(props: EksNodeGroupProps) -> dict[str, Any]:
    if not props.repair:
        return {"Enabled": False}
    overrides = [
        {
            "NodeMonitoringCondition": override.condition,
            "NodeUnhealthyReason": override.reason,
            "MinRepairWaitTimeMins": override.wait_minutes,
            "RepairAction": override.action,
        }
        for override in props.repair_overrides
    ]
    return {
        "Enabled": True,
        "MaxParallelNodesRepairedCount": props.max_parallel_repairs,
        "MaxUnhealthyNodeThresholdCount": props.max_unhealthy,
        "NodeRepairConfigOverrides": overrides or None,
    }
